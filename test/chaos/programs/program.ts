// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the templates are those of the programs
/** A program as an agent would write it, with effects that are counted. */
export interface Program {
  name: string;
  /** May use the functions of PRELUDE, and the URL of the third party as `U`. */
  code: string;
  /** The reviewers' decisions; approved by default. */
  decision?: 'reject';
  /**
   * Every effect of the program, if its output does not list them as `made` because they are
   * random.
   */
  effects: readonly string[] | 'made';
  /**
   * The output lists its reads in the order in which they were answered. A fault may delay any
   * request, so no order is promised beforehand: only that it is the one of the journal.
   */
  listsAnswers?: true;
}

/**
 * `post` has one effect; `get` only reads; `pay` and `book` need approval, each under its own
 * policy. `late` is a payment that no plan predicts.
 */
const PRELUDE: Record<string, string> = {
  send: 'const send = async (app, method, what, body) => (await app.send_request({ method, url: `${U}/${what}`, ...(body && { body_type: "json", body }) })).body;',
  post: 'const post = (what, body = {}) => send(svc.http, "POST", what, body);',
  get: 'const get = (what) => send(svc.http, "GET", what);',
  late: 'const late = async (what, body = {}) => { const { is } = await send(svc.http, "GET", `which-${what}?is=pay`); return (await svc[is].send_request({ method: "POST", url: `${U}/${what}`, body_type: "json", body })).body; };',
  sleep: 'const sleep = (ms, value) => new Promise((done) => setTimeout(done, ms, value));',
};

/** The program's source for one run. */
export function codeOf({ code }: Program, url: string): string {
  const used = Object.entries(PRELUDE).filter(([name]) => new RegExp(`\\b${name}\\(`).test(code) || name === 'send');
  return [`const U = ${JSON.stringify(url)};`, ...used.map(([, text]) => text), code].join('\n');
}

/** A call of `pay` or `book`, written out so that the plan finds it. */
export function gated(app: 'pay' | 'book', what: string, body = '{}', method = 'POST'): string {
  const content = method === 'GET' ? '' : `, body_type: "json", body: ${body}`;
  return `svc.${app}.send_request({ method: "${method}", url: \`\${U}/${what}\`${content} })`;
}
