import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SetupError } from '../infra/config.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as the interface describes them
type Body = any;

/** The REST API as a client sees it; an answer that is not a success is thrown with what it says. */
export interface GatewayApi {
  get(path: string): Promise<Body>;
  post(path: string, body: object): Promise<Body>;
  /** The answer whatever its status. */
  try(path: string, body: object): Promise<{ status: number; body: Body }>;
}

/** Reaches the running service, with the key given or one made for the demo by the admin command. */
export async function openGatewayApi(url: string, key?: string): Promise<GatewayApi> {
  const ready = await fetch(`${url}/ready`).catch(() => undefined);
  if (!ready?.ok)
    throw new SetupError(`No gateway is ready at ${url}. Start one with npm start in another terminal, or name another with --url.`);
  const plainKey = key ?? (await makeKey());

  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${plainKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const must = async (method: string, path: string, body?: object) => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    get: (path) => must('GET', path),
    post: (path, body) => must('POST', path, body),
    try: (path, body) => send('POST', path, body),
  };
}

async function makeKey(): Promise<string> {
  const admin = `${import.meta.dirname}/../standalone/admin.ts`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    admin,
    'create-key',
    '--name',
    'Demo',
    '--decide',
    '--expires-in',
    '3600',
  ]);
  return stdout.trim();
}
