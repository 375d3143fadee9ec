/** Adds the hosts of URLs and of e-mail addresses anywhere in a text, as `tidyHost` writes them. Reads the text a fixed number of times, whatever it holds. */
export function findHosts(text: string, hosts: Set<string>): void {
  addWholeUrl(text, hosts);
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) addUrlHost(text, at + 3, hosts);
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) addMailHost(text, at, hosts);
}

/** A host as it is compared: lower case, no trailing dots, international names in their ASCII form. */
export function tidyHost(host: string): string {
  let end = host.length;
  while (host[end - 1] === '.') end -= 1;
  const tidy = host.slice(0, end).toLowerCase();
  if (!/[^\0-\x7f]|%/.test(tidy)) return tidy;
  return URL.parse(`http://${tidy}`)?.hostname || tidy;
}

const MAY_BE_URL = /^[\0- ]*[hwf]/i;

/** A text that is one URL is read as a client would read it: `https:host`, `http:\\host` and line breaks in a name are all the same to it. */
function addWholeUrl(text: string, hosts: Set<string>): void {
  if (!MAY_BE_URL.test(text) || !text.includes(':')) return;
  const host = URL.parse(text)?.hostname;
  if (host) hosts.add(tidyHost(host));
}

/** Ends before the slash of the next `://`, so that no character is read for two URLs. */
const AUTHORITY = /[^\s/\\?#"'<>`]+/y;
const URL_HOST = /^(?:\[[0-9a-f:.]+\]|[^:,;()[\]{}|^*!$&=+~]+)/i;

function addUrlHost(text: string, start: number, hosts: Set<string>): void {
  AUTHORITY.lastIndex = start;
  const authority = AUTHORITY.exec(text)?.[0] ?? '';
  const host = URL_HOST.exec(authority.slice(authority.lastIndexOf('@') + 1))?.[0];
  if (host) addNamed(host, hosts);
}

const NO_LOCAL_PART = /[\s@<>"',;]/;
const ASCII_NAME = /[a-z0-9.-]+/iy;
const ANY_NAME = /[\p{L}\p{M}\p{N}.-]+/uy;

function addMailHost(text: string, at: number, hosts: Set<string>): void {
  if (at === 0 || NO_LOCAL_PART.test(text[at - 1]!)) return;
  // Where letters of another script follow, nobody can tell whether they belong to the name: both readings count.
  for (const name of [ASCII_NAME, ANY_NAME]) {
    name.lastIndex = at + 1;
    const host = name.exec(text)?.[0];
    if (host && host.indexOf('.') > 0 && tidyHost(host).includes('.')) addNamed(host, hosts);
  }
}

function addNamed(host: string, hosts: Set<string>): void {
  const tidy = tidyHost(host);
  if (tidy !== '') hosts.add(tidy);
}
