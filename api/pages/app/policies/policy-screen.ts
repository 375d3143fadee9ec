import { createApprovalPolicy } from '../../../../commands/policies/create-policy.ts';
import { getPolicyVersion, restorePolicyVersion } from '../../../../commands/policies/restore-policy-version.ts';
import { updateApprovalPolicy } from '../../../../commands/policies/update-policy.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { BODY_MAX_BYTES } from '../../../../domain/limits.ts';
import type { PolicyFields } from '../../../../domain/policies/policy.ts';
import { notFound } from '../../../route.ts';
import { versionNumber } from '../../../schemas.ts';
import type { Problems } from '../form.ts';
import type { AppPage, Done, Screen, Visit } from '../screen.ts';
import { afterSaving } from './after-saving.ts';
import { type PolicyForm, problemsOf, readNewPolicy, readPolicyChanges } from './policy-form.ts';
import { BASE, policyOfPath } from './policy-of-path.ts';
import { type LastDays, type OpenForm, openForm, policyPage } from './policy-page.ts';
import { checkLastDays, testedCallOf, tryCall } from './policy-trial.ts';

type Submission = Visit & { form: URLSearchParams };

const ADMIN = { role: 'admin', navigation: 'Policies', formMaxBytes: BODY_MAX_BYTES } as const;
const PATH = `${BASE}/{id}`;

/** Screens to create, change, check, test and restore a policy. */
export const policyFormScreens: readonly Screen[] = [
  { ...ADMIN, path: `${BASE}/new`, get: async (visit) => policyPage(visit, await openForm(visit, undefined)), post: create },
  {
    ...ADMIN,
    path: `${BASE}/new/check`,
    get: async () => ({ seeOther: `${BASE}/new` }),
    post: async (visit) => check(visit, await openForm(visit, undefined)),
  },
  {
    ...ADMIN,
    path: `${BASE}/new/test`,
    get: async () => ({ seeOther: `${BASE}/new` }),
    post: async (visit) => test(visit, await openForm(visit, undefined)),
  },
  {
    ...{ path: PATH, role: 'viewer', navigation: 'Policies' },
    get: async (visit) => policyPage(visit, await openStored(visit)),
  },
  { ...ADMIN, path: `${PATH}/save`, get: toPolicy, post: save },
  { ...ADMIN, path: `${PATH}/check`, get: toPolicy, post: async (visit) => check(visit, await openStored(visit)) },
  { ...ADMIN, path: `${PATH}/test`, get: toPolicy, post: async (visit) => test(visit, await openStored(visit)) },
  { ...ADMIN, path: `${PATH}/versions/{version}/restore`, post: restore },
];

async function openStored(visit: Visit): Promise<OpenForm> {
  return openForm(visit, await policyOfPath(visit));
}

/** A member who reloads the page after a form is redirected to the policy. */
async function toPolicy(visit: Visit): Promise<Done> {
  return { seeOther: `${BASE}/${(await policyOfPath(visit)).id}` };
}

async function create(visit: Submission): Promise<AppPage | Done> {
  const opened = await openForm(visit, undefined);
  const read = readNewPolicy(visit.form);
  if (!read.ok) return refused(visit, opened, read);
  return orRefused(visit, opened, read.value, async () => {
    const { policy, secrets } = await createApprovalPolicy(visit.gateway, visit.principal, read.value);
    return afterSaving(`${BASE}/${policy.id}`, `${policy.name} is created.`, secrets);
  });
}

async function save(visit: Submission): Promise<AppPage | Done> {
  const opened = await openStored(visit);
  const policy = opened.policy!;
  const read = readPolicyChanges(visit.form, opened.fields);
  if (!read.ok) return refused(visit, opened, read);
  const path = `${BASE}/${policy.id}`;
  if (Object.keys(read.value).length === 0) return { seeOther: path, done: `${policy.name} is unchanged.` };
  return orRefused(visit, opened, read.value, async () => {
    const { policy: saved, secrets } = await updateApprovalPolicy(visit.gateway, visit.principal, policy, read.value);
    return afterSaving(path, `${saved.name} is saved.`, secrets);
  });
}

async function restore(visit: Submission): Promise<AppPage | Done> {
  const policy = await policyOfPath(visit);
  const version = versionNumber.safeParse(visit.params.version);
  if (!version.success) throw notFound();
  const { fields } = await getPolicyVersion(visit.gateway, policy, version.data);
  const opened = await openForm(visit, policy);
  return orRefused(visit, opened, fields, async () => {
    const { policy: now, secrets } = await restorePolicyVersion(visit.gateway, visit.principal, policy, version.data);
    return afterSaving(`${BASE}/${policy.id}`, `${now.name} is as it was in version ${version.data}.`, secrets);
  });
}

async function check(visit: Submission, opened: OpenForm): Promise<AppPage | Done> {
  const tried = readTried(visit, opened);
  const lastDays: LastDays = tried.ok
    ? await checkLastDays(visit, { ...tried.value, replaces: opened.policy }).catch(problemOf)
    : { problem: sentenceOf(opened, tried) };
  if (visit.query.has('part')) return { title: 'Last 7 days', template: 'policies/last-7-days', data: { lastDays } };
  return policyPage(visit, opened, { typed: visit.form, refusal: refusalOf(tried, 'Nothing was checked.'), lastDays });
}

async function test(visit: Submission, opened: OpenForm): Promise<AppPage | Done> {
  const tried = readTried(visit, opened);
  const call = testedCallOf(visit.form);
  const first = [...opened.choices.workspaces.keys()][0];
  const tested = tried.ok
    ? await tryCall(visit, tried.value.fields, tried.value.fields.workspaceId ?? visit.workspaceId ?? first, call)
    : { problem: sentenceOf(opened, tried) };
  if (visit.query.has('part')) return { title: 'Test a call', template: 'policies/test-result', data: { tested } };
  return policyPage(visit, opened, { typed: visit.form, refusal: refusalOf(tried, 'Nothing was tested.'), call, tested });
}

/** A check or test needs no name, so a missing name is filled in. */
function readTried(
  { form }: Submission,
  { policy, fields }: OpenForm,
): PolicyForm<{ fields: PolicyFields; changes: Partial<PolicyFields> }> {
  const named = new URLSearchParams(form);
  if (!named.get('name')?.trim()) named.set('name', policy?.name ?? 'New policy');
  if (!policy) {
    const read = readNewPolicy(named);
    return read.ok ? { ok: true, value: { fields: read.value, changes: read.value } } : read;
  }
  const read = readPolicyChanges(named, fields);
  return read.ok ? { ok: true, value: { fields: { ...policy, ...read.value }, changes: read.value } } : read;
}

type Refused = { ok: false; problems: Problems; sentence?: string | undefined };

function sentenceOf({ fields }: OpenForm, { problems, sentence }: Refused): string {
  const named = Object.entries(problems).map(
    ([name, problem]) => `${fields.find((field) => field.name === name)?.label ?? name} ${problem}`,
  );
  return [...named.map((one) => `${one}.`), sentence ?? ''].join(' ').trim();
}

function refusalOf(read: PolicyForm<unknown>, lead: string) {
  return read.ok ? undefined : { status: 400, lead, problems: read.problems, sentence: read.sentence };
}

function refused(visit: Submission, opened: OpenForm, { problems, sentence }: Refused, status = 400): Promise<AppPage> {
  const typed = visit.form.size > 0 ? visit.form : undefined;
  return policyPage(visit, opened, { typed, refusal: { status, problems, sentence } });
}

async function orRefused(
  visit: Submission,
  opened: OpenForm,
  fields: Partial<PolicyFields>,
  act: () => Promise<AppPage | Done>,
): Promise<AppPage | Done> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof GatewayError) || !REFUSALS.has(error.status)) throw error;
    const issues = error.details?.issues as { path: string; message: string }[] | undefined;
    const why = issues ? problemsOf(issues, fields) : { problems: {}, sentence: error.message };
    return refused(visit, opened, { ok: false, ...why }, error.status);
  }
}

/** 403 is a full quota, 404 a deleted server or workspace. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 409]);

function problemOf(error: unknown): LastDays {
  if (!(error instanceof GatewayError) || error.status >= 500) throw error;
  return { problem: error.message };
}
