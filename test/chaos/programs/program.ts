// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs contain the templates
/** A program as an agent would write it. */
export interface Program {
  name: string;
  /** The code can use the functions of PRELUDE, and `U`, the URL of the third party. */
  code: string;
  /** How the reviewers decide. By default, they approve. */
  decision?: 'reject';
  /** 'made': the effects are random, and the output lists them under `made`. */
  effects: readonly string[] | 'made';
  /** The output lists the reads in the order of their answers, which a fault can change. */
  listsAnswers?: true;
}

/** `post` has one effect, `get` only reads. `late` is a payment that the plan cannot predict. */
const PRELUDE: Record<string, string> = {
  send: 'const send = async (app, method, what, body) => (await app.send_request({ method, url: `${U}/${what}`, ...(body && { body_type: "json", body }) })).body;',
  post: 'const post = (what, body = {}) => send(svc.http, "POST", what, body);',
  get: 'const get = (what) => send(svc.http, "GET", what);',
  late: 'const late = async (what, body = {}) => { const { is } = await send(svc.http, "GET", `which-${what}?is=pay`); return (await svc[is].send_request({ method: "POST", url: `${U}/${what}`, body_type: "json", body })).body; };',
  sleep: 'const sleep = (ms, value) => new Promise((done) => setTimeout(done, ms, value));',
};

/** The source for one run: `U`, functions of PRELUDE, and the program's code. */
export function codeOf({ code }: Program, url: string): string {
  const used = Object.entries(PRELUDE).filter(([name]) => new RegExp(`\\b${name}\\(`).test(code) || name === 'send');
  return [`const U = ${JSON.stringify(url)};`, ...used.map(([, text]) => text), code].join('\n');
}

/** The code of a call of `pay` or `book`, in a form that the plan can predict. */
export function gated(app: 'pay' | 'book', what: string, body = '{}', method = 'POST'): string {
  const content = method === 'GET' ? '' : `, body_type: "json", body: ${body}`;
  return `svc.${app}.send_request({ method: "${method}", url: \`\${U}/${what}\`${content} })`;
}
