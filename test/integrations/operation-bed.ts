import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOutbound } from '../../infra/outbound.ts';
import type { AuthDocument, ProviderDocument } from '../../integrations/declarative/document.ts';
import type { OperationCall, OperationParameter } from '../../integrations/declarative/operation.ts';
import { toIntegration } from '../../integrations/declarative/to-integration.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import { run } from './providers/provider-bed.ts';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Reply = (request: Seen, response: ServerResponse) => void;

/** The requests that the third party received since the last call of `answering`. */
export let seen: Seen[] = [];
const noContent: Reply = (_, response) => response.writeHead(204).end();
let reply: Reply = noContent;

/** Sets the third party's answer to all later requests, and clears `seen`. */
export function answering(next: Reply = noContent): void {
  seen = [];
  reply = next;
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = request;
  seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
  reply(seen.at(-1)!, response);
});
let outbound: ReturnType<typeof openOutbound>;

/** Runs the third party during the tests of a file. */
export function withThirdParty(): void {
  beforeAll(async () => {
    outbound = openOutbound({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    await outbound.close();
    await new Promise((done) => server.close(done));
  });
  beforeEach(() => answering());
}

/** The URL of the third party. */
export const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Call {
  operation?: Partial<OperationCall>;
  input?: Record<string, unknown>;
  auth?: AuthValue | null;
  methods?: AuthDocument[] | null;
}

/** An integration whose only action calls this operation of the third party. */
export const integrationOf = ({ operation = {}, methods = null }: Call) =>
  toIntegration('pets', {
    format: 1,
    displayName: 'Pets',
    description: 'For tests',
    categories: ['DEVELOPER_TOOLS'],
    auth: methods,
    baseUrl: `${origin()}/v1`,
    actions: {
      call: {
        displayName: 'Call',
        description: 'For tests',
        category: 'write',
        input: { additionalProperties: true },
        output: {},
        operation: { method: 'POST', path: '/pets', parameters: [], ...operation },
      },
    },
  } satisfies ProviderDocument);

/** Calls the operation. Returns the output, and the first request that the third party received. */
export const call = async (options: Call = {}) => {
  const output = await run(integrationOf(options), 'call', options.input ?? {}, { auth: options.auth ?? null, outbound });
  return { output, sent: seen[0]! };
};

/** A query parameter `p`, with these changes. */
export const parameter = (given: Partial<OperationParameter>): OperationParameter => ({
  input: 'p',
  name: 'p',
  in: 'query',
  style: 'form',
  explode: true,
  ...given,
});
