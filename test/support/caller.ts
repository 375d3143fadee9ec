/** One answer of the REST API. */
export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies as their users do, field by field
  body: any;
  headers: Headers;
}

type Send<Answer> = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

type Verbs<Answer> = Record<'get' | 'post' | 'patch' | 'delete', Send<Answer>>;

/** Calls the REST API with one key. */
export interface Caller extends Verbs<ApiAnswer> {
  /** Methods that return the body of an answer with this status, and throw for another status. */
  must(status: number): Verbs<ApiAnswer['body']>;
}

export function callerOf(apiUrl: string, key?: string): Caller {
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> => {
    const response = await fetch(`${apiUrl}${path}`, {
      method: method.toUpperCase(),
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const verbs = verbsOf(send);
  return {
    ...verbs,
    must: (status) =>
      verbsOf(async (method, path, body, headers) => {
        const answer = await send(method, path, body, headers);
        if (answer.status !== status)
          throw new Error(`${method} ${path} answered ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`);
        return answer.body;
      }),
  };
}

function verbsOf<Answer>(send: (method: string, ...rest: Parameters<Send<Answer>>) => Promise<Answer>): Verbs<Answer> {
  const verb =
    (method: string): Send<Answer> =>
    (...rest) =>
      send(method, ...rest);
  return { get: verb('get'), post: verb('post'), patch: verb('patch'), delete: verb('delete') };
}
