import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Config, SetupError } from '../infra/config.ts';
import { isReady, retryAfterOutage } from './retry-after-outage.ts';

// biome-ignore lint/suspicious/noExplicitAny: the demo reads many different answers
type Body = any;

/** A client of the REST API. `get` and `post` reject if the status is not a success. */
export interface GatewayApi {
  get(path: string): Promise<Body>;
  post(path: string, body: object): Promise<Body>;
  /** Like `post`, but also resolves if the status is not a success, except for 401. */
  try(path: string, body: object): Promise<{ status: number; body: Body }>;
}

interface GatewayApiOptions {
  url: string;
  /** Default: the admin command creates a key. */
  key?: string | undefined;
  config: Pick<Config, 'dataDir'>;
  say: (line: string) => void;
}

/** Opens a client of the running service. A call waits while the service restarts. */
export async function openGatewayApi({ url, key, config, say }: GatewayApiOptions): Promise<GatewayApi> {
  if (!(await isReady(url)))
    throw new SetupError(
      `No gateway is ready at ${url}. Start a gateway with npm start in another terminal (with the same DATA_DIR), or name another gateway with --url.`,
    );
  const plainKey = key ?? (await makeKey());

  const sendOnce = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${plainKey}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const send = async (method: string, path: string, body?: object) => {
    const answer = await retryAfterOutage(url, say, () => sendOnce(method, path, body));
    if (answer.status === 401) throw new SetupError(explainUnknownKey(url, key, config));
    return answer;
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
  const args = ['create-key', '--name', 'Demo', '--decide', '--expires-in', '3600'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [admin, ...args]);
    return stdout.trim();
  } catch (error) {
    throw new SetupError((error as { stderr?: string }).stderr?.trim() || `No key could be created: ${(error as Error).message}`);
  }
}

function explainUnknownKey(url: string, key: string | undefined, { dataDir }: Pick<Config, 'dataDir'>): string {
  if (key) return `The service at ${url} does not know that key.`;
  return `The service at ${url} does not know the key that was created in DATA_DIR=${resolve(dataDir)}, so it uses another folder. Set the same DATA_DIR, or pass a key with --key.`;
}
