import type { UserPerson } from '../../../../domain/person.ts';
import type { OrgRole } from '../../../../domain/policies/policy.ts';
import { signInMember } from '../../../support/dashboard/sign-in-member.ts';
import type { ApiBed } from '../../api-bed.ts';
import { type PageBed, textOf } from '../page-bed.ts';

interface Seen {
  status: number;
  location: string | null;
  html: string;
  text: string;
  headers: Headers;
}

/** A dashboard client that keeps cookies and runs no scripts. */
export interface AppClient {
  /** The value of the Cookie header, for example `gateway=…`. */
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<Seen>;
  /** Posts a form with the headers that a browser sends from the dashboard's own pages. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Seen>;
}

/** A signed-in member of the bed's organization. */
export interface AppMember extends AppClient, UserPerson {
  sessionToken: string;
}

const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

/** Creates a client of the dashboard. */
export function appClient({ apiUrl }: Pick<ApiBed, 'apiUrl'>, token = ''): AppClient {
  const cookies = new Map(token === '' ? [] : [['gateway', token]]);
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (path: string, init: RequestInit): Promise<Seen> => {
    const headers = { Accept: 'text/html', ...(cookies.size > 0 && { Cookie: cookie() }), ...(init.headers as object) };
    const answer = await fetch(`${apiUrl}/app${path}`, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const html = await answer.text();
    return { status: answer.status, location: answer.headers.get('location'), html, text: textOf(html), headers: answer.headers };
  };
  return {
    get cookie() {
      return cookie();
    },
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      ask(path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...SAME_ORIGIN, ...headers } }),
  };
}

/** Returns the bed with the fields that the helpers for approvals need. */
export function pageBed({
  gateway,
  apiUrl,
  orgId,
  workspaceId,
  plainKey,
}: Pick<ApiBed, 'gateway' | 'apiUrl' | 'orgId' | 'workspaceId' | 'plainKey'>): PageBed {
  return { gateway, origin: apiUrl, org: { orgId, workspaceId, plainKey }, close: async () => {} };
}

let made = 0;

/** Creates a member with this role, and signs the member in without a password. */
export async function aMember(
  bed: Pick<ApiBed, 'gateway' | 'apiUrl' | 'orgId'>,
  role: OrgRole,
  given: { email?: string; name?: string } = {},
): Promise<AppMember> {
  made += 1;
  const { email = `${role}-${made}@example.com`, name = `${role} ${made}` } = given;
  const { person, sessionToken } = await signInMember(bed.gateway, { orgId: bed.orgId, role, email, name });
  return Object.assign(appClient(bed, sessionToken), person, { sessionToken });
}
