import { ActionError, type AuthValue } from '../definition.ts';

/** The values for `{account.…}` in templates, including secrets. */
export function accountValues(auth: AuthValue): Record<string, unknown> {
  switch (auth.type) {
    case 'SECRET_TEXT':
      return { secretText: auth.secretText };
    case 'BASIC_AUTH':
      return { ...auth.props, username: auth.username, password: auth.password };
    case 'CUSTOM_AUTH':
      return auth.props;
    default:
      return { ...auth.data, accessToken: auth.accessToken };
  }
}

const LABELS = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/**
 * Inserts values of an account into an address. Throws ActionError for a missing value, and for a
 * value that could change another part of the address.
 */
export function fillAddress(template: string, account: Readonly<Record<string, unknown>>): string {
  const isWhole = /^\{account\.[\w-]+\}/.test(template);
  const hostEnd = template.indexOf('/', 'https://'.length);
  return template.replace(/\{account\.([\w-]+)\}/g, (_, name: string, at: number) => {
    const value = account[name];
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    const written = isWhole && at === 0 ? originOf(text) : hostEnd < 0 || at < hostEnd ? labelsOf(text) : segmentOf(text);
    if (written === undefined)
      throw new ActionError(`The connected account has no usable ${name}. Connect it again.`, { reason: 'unauthorized' });
    return written;
  });
}

function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash ? url.href.replace(/\/$/, '') : undefined;
}

function labelsOf(text: string): string | undefined {
  return LABELS.test(text) ? text : undefined;
}

function segmentOf(text: string): string | undefined {
  return text === '' || text === '.' || text === '..' ? undefined : encodeURIComponent(text.toWellFormed());
}
