/**
 * A browser without scripts. Keeps cookies by path, and follows redirects and HTML refreshes within
 * the service.
 */
export interface PlainBrowser {
  open(url: string): Promise<void>;
  /**
   * Submits the form with this button; without `button`, the first form. `fields` override the
   * form's own values.
   */
  submit(fields: Record<string, string>, button?: string): Promise<void>;
  /** Posts a form that is not on the page, with the headers of the page's own forms. */
  post(path: string, fields: Record<string, string>): Promise<void>;
  /** Returns the value of a cookie of any path. */
  cookie(name: string): string | undefined;
  /** Sets a cookie for all paths, like an attacker on a neighbouring host. */
  plant(name: string, value: string): void;
  readonly url: string;
  readonly path: string;
  readonly html: string;
  readonly status: number;
  /** The target of a redirect to another origin, if the last request ended with one. */
  readonly leftTo: URL | undefined;
  /** The number of pages that continued through an HTML refresh instead of a redirect. */
  readonly refreshes: number;
}

interface Cookie {
  name: string;
  value: string;
  path: string;
}

export function aBrowser(): PlainBrowser {
  const cookies = new Map<string, Cookie>();
  const page = { url: '', html: '', status: 0, leftTo: undefined as URL | undefined, refreshes: 0 };

  async function go(url: string, init: RequestInit = {}): Promise<void> {
    const { pathname, origin } = new URL(url);
    const sent = [...cookies.values()].filter(({ path }) => pathname.startsWith(path)).map(({ name, value }) => `${name}=${value}`);
    const headers = {
      ...(init.headers as Record<string, string>),
      Accept: 'text/html',
      ...(sent.length > 0 && { Cookie: sent.join('; ') }),
    };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of answer.headers.getSetCookie()) keep(cookie);
    const location = answer.headers.get('location');
    if (!location) {
      const html = await answer.text();
      const [, next] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(html) ?? [];
      if (next) page.refreshes++;
      if (next) return go(new URL(next, url).href);
      return void Object.assign(page, { url, html, status: answer.status, leftTo: undefined });
    }
    const target = new URL(location, url);
    if (target.origin === origin) return go(target.href);
    Object.assign(page, { status: answer.status, html: '', leftTo: target });
  }

  function send(url: string, fields: Record<string, string>): Promise<void> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin', Origin: 'null' };
    return go(url, { method: 'POST', body: new URLSearchParams(fields).toString(), headers });
  }

  function keep(line: string): void {
    const [pair, ...attributes] = line.split(/; */);
    const [name, value] = [pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1)];
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    const isGone = value === '' || attributes.some((attribute) => /^max-age=0$/i.test(attribute));
    if (isGone) cookies.delete(`${name} ${path}`);
    else cookies.set(`${name} ${path}`, { name, value, path });
  }

  return {
    open: (url) => go(url),
    submit: (fields, button) => {
      const form = formsOf(page.html).find(({ text }) => button === undefined || text.includes(`>${button}<`));
      if (!form) throw new Error(`There is no button "${button}": ${page.html}`);
      return send(new URL(form.action ?? page.url, page.url).href, {
        ...{ ...form.hidden, ...(button !== undefined && buttonOf(form.text, button)), ...fields },
      });
    },
    post: (path, fields) => send(new URL(path, page.url).href, fields),
    cookie: (name) => [...cookies.values()].find((one) => one.name === name)?.value,
    plant: (name, value) => void cookies.set(`${name} /`, { name, value, path: '/' }),
    get url() {
      return page.url;
    },
    get path() {
      return new URL(page.url).pathname;
    },
    get html() {
      return page.html;
    },
    get status() {
      return page.status;
    },
    get leftTo() {
      return page.leftTo;
    },
    get refreshes() {
      return page.refreshes;
    },
  };
}

function formsOf(html: string) {
  return [...html.matchAll(/<form method="post"(?: action="([^"]*)")?[\s\S]*?<\/form>/g)].map(([text, action]) => ({
    ...{ text, action },
    hidden: Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
    ),
  }));
}

function buttonOf(form: string, words: string): Record<string, string> {
  const tag = form.slice(0, form.indexOf(`>${words}<`)).slice(form.lastIndexOf('<button', form.indexOf(`>${words}<`)));
  const [, name, value] = /name="([^"]*)" value="([^"]*)"/.exec(tag) ?? [];
  return name === undefined ? {} : { [name]: value! };
}
