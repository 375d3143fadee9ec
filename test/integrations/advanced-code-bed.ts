import { type ApiBed, openApiBed } from '../api/api-bed.ts';

/** Opens a service for the tests of the file, and returns functions that use the service. */
export function useAdvancedCode() {
  const bed = {} as ApiBed;
  let runsPrograms = false;
  beforeAll(async () => {
    Object.assign(bed, await openApiBed());
    runsPrograms = (await (await bed.gateway.sandboxes.programs()).cage()) !== null;
  });
  afterAll(() => bed.close());

  let aliases = 0;
  async function aSandbox(advancedCode: object = {}) {
    const alias = `box-${++aliases}`;
    const settings = { advancedCode };
    const made = { integrationName: 'advanced-code', alias, settings };
    const { integration } = await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, made);
    const call = (language: string, code: string, fields: object) => ({
      ...{ workspaceId: bed.workspaceId, integrationName: 'advanced-code', integrationAlias: alias, actionName: 'run_code' },
      ...{ input: { language, code }, ...fields },
    });
    const execute = (language: string, code: string, fields: object = {}) =>
      bed.api.post('/api/v1/actions/execute', call(language, code, fields));
    return {
      id: integration.id as string,
      execute,
      js: async (code: string) => output(await execute('javascript', code)),
      sh: async (code: string, fields: object = {}) => output(await execute('shell', code, fields)),
      refused: async (code: string, fields: object = {}) => {
        const { status, body } = await execute('shell', code, fields);
        return { status, ...body } as { status: number; code: string; error: string; details: Record<string, string> };
      },
    };
  }

  function output({ status, body }: { status: number; body: Record<string, unknown> }) {
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.output as { exitCode: number; stdout: string; stderr: string; truncated: boolean; result: unknown; notKept: string[] };
  }

  /** Runs `check`. On a machine that cannot confine programs, expects a refusal instead. */
  function withPrograms(promise: string, check: () => Promise<void>, timeoutMs?: number) {
    test(
      promise,
      async () => {
        if (runsPrograms) return check();
        expect(await (await aSandbox()).refused('true')).toMatchObject({
          status: 400,
          code: 'ACTION_FAILED',
          details: { code: 'CODE_UNAVAILABLE' },
        });
      },
      timeoutMs,
    );
  }

  const storage = async (actionName: string, input: object, scope: object, endUserId?: string) => {
    const alias = `files-${++aliases}`;
    await bed.api
      .must(201)
      .post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'storage', alias, settings: { persistence: scope } });
    const call = { workspaceId: bed.workspaceId, integrationName: 'storage', integrationAlias: alias, actionName, input };
    return (await bed.api.must(200).post('/api/v1/actions/execute', { ...call, ...(endUserId && { endUserId }) })).output;
  };
  const paths = async (scope: object, endUserId?: string) =>
    (await storage('list_files', {}, scope, endUserId)).files.map(({ path }: { path: string }) => path);

  return { bed, aSandbox, withPrograms, storage, paths };
}
