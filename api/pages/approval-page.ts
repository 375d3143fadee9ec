import type { Context, Middleware } from 'koa';
import { decideByLink } from '../../commands/approvals/decide-by-link.ts';
import { type OpenedLink, openApprovalLink } from '../../commands/approvals/open-approval-link.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { DECISIONS, type Decision, OUTCOME } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { notFound } from '../route.ts';
import { pageStyle, STYLE } from './approval/page-style.ts';
import { readPersonField, writePersonField } from './approval/person-field.ts';
import { presentOutcome } from './approval/present-outcome.ts';
import { presentReview } from './approval/present-review.ts';
import { type Reason, readReason } from './approval/read-reason.ts';
import { codeRunPage } from './code-run-page.ts';
import { hostedPage, type SeeOther } from './layout/hosted-page.ts';
import { prefersJson } from './layout/prefers-json.ts';
import { readForm } from './layout/read-form.ts';
import type { Page } from './layout/render-page.ts';

/**
 * `{platform_url}/approve/<approval_id>?token=<link_token>` (specification 2.8): shows an approval
 * to the holder of its link and accepts the decision. `&as=<person>` marks a personal link. All
 * invalid links get the same 404.
 */
export function approvalPage(gateway: Gateway): Middleware {
  return hostedPage(gateway.logger, {
    prefix: '/approve',
    get: async (ctx) => {
      const link = await openLink(gateway, ctx, ctx.query);
      return isOfRun(ctx) && link.settledAt === null ? codeRunPage(gateway, link) : linkPage(gateway, link);
    },
    post: (ctx) => {
      if (!isOfRun(ctx)) return decide(gateway, ctx);
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', 'This page takes no decision. Use the page of the approval.');
    },
  });
}

const PATH = /^\/approve\/(apr_[0-9A-Za-z]+)(\/run)?$/;

interface OpenLink extends OpenedLink {
  token: string;
  as: string | undefined;
}

function isOfRun({ path }: Context): boolean {
  return PATH.exec(path)?.[2] !== undefined;
}

async function openLink(gateway: Gateway, ctx: Context, { token, as }: Context['query']): Promise<OpenLink> {
  const approvalId = PATH.exec(ctx.path)?.[1];
  if (!approvalId || typeof token !== 'string' || Array.isArray(as)) throw notFound('APPROVAL_NOT_FOUND', 'approval');
  const opened = await openApprovalLink(gateway, approvalId, token, as);
  if (!opened) throw notFound('APPROVAL_NOT_FOUND', 'approval');
  return { ...opened, token, as };
}

async function decide(gateway: Gateway, ctx: Context): Promise<Page | SeeOther> {
  const form = readFields(await readForm(ctx, gateway.config));
  const link = await openPostedLink(gateway, ctx, form);
  const decision = readDecision(form.decision);
  const reason = readReason(form.reason ?? '');
  if (reason.problem) return linkPage(gateway, link, { status: 400, notice: reason.problem, reason });
  try {
    await decideByLink(gateway, link, { decision, reason: reason.text });
  } catch (error) {
    if (!isRefused(error) || prefersJson(ctx)) throw error;
    const now = await openPostedLink(gateway, ctx, form);
    return linkPage(gateway, now, { status: error.status, notice: noticeOf(error, now, decision) });
  }
  return {
    seeOther: `${link.approval.id}?${queryOf(link)}`,
  };
}

function queryOf({ token, as }: Pick<OpenLink, 'token' | 'as'>): string {
  return new URLSearchParams({ token, ...(as === undefined ? {} : { as }) }).toString();
}

async function openPostedLink(gateway: Gateway, ctx: Context, { token, as }: Record<string, string>): Promise<OpenLink> {
  if (as === undefined) return openLink(gateway, ctx, { token });
  const ref = readPersonField(as);
  if (ref === undefined) throw notFound('APPROVAL_NOT_FOUND', 'approval');
  return openLink(gateway, ctx, { token, as: ref });
}

/** Refuses a repeated field, because it is unclear which value counts. */
function readFields(form: URLSearchParams): Record<string, string> {
  if (new Set(form.keys()).size !== form.size) throw new GatewayError('VALIDATION_ERROR', 'The form repeats a field.');
  return Object.fromEntries(form);
}

function readDecision(value: string | undefined): Decision {
  const decision = DECISIONS.find((known) => known === value);
  if (!decision) throw new GatewayError('VALIDATION_ERROR', 'The form has no valid decision. Use approve, reject or cancel.');
  return decision;
}

const REFUSALS: readonly string[] = ['APPROVAL_ALREADY_DECIDED', 'APPROVAL_EXPIRED', 'APPROVAL_DECISION_SCOPE_REQUIRED'];

function isRefused(error: unknown): error is GatewayError {
  return error instanceof GatewayError && REFUSALS.includes(error.code);
}

function noticeOf({ code }: GatewayError, { approval }: OpenLink, decision: Decision): string {
  if (code === 'APPROVAL_DECISION_SCOPE_REQUIRED') return 'Your decision was not accepted. Nothing changed.';
  const isTwice = approval.status === OUTCOME[decision] && approval.decidedByType !== 'timeout';
  return isTwice
    ? `This request was already ${approval.status}. If that was you, your first decision counts. This one changed nothing.`
    : 'Your decision came too late and changed nothing. This page shows the current state.';
}

interface Attempt {
  status: number;
  notice: string;
  reason?: Reason;
}

async function linkPage(gateway: Gateway, link: OpenLink, attempt?: Attempt): Promise<Page> {
  const { settledAt } = link;
  return settledAt === null ? reviewPage(gateway, link, attempt) : outcomePage(gateway, { ...link, settledAt }, attempt);
}

async function outcomePage(gateway: Gateway, link: OpenLink & { settledAt: Date }, attempt?: Attempt): Promise<Page> {
  const view = presentOutcome(await catalogOf(gateway, link), link);
  const data = { ...view, notice: attempt?.notice };
  return { status: attempt?.status ?? 200, title: view.title, template: 'approval/settled', data, style: STYLE };
}

function catalogOf(gateway: Gateway, { approval }: OpenLink): Promise<Catalog> {
  return gateway.catalog.of(approval.orgId, [approval.integrationName]);
}

async function reviewPage(gateway: Gateway, link: OpenLink, attempt?: Attempt): Promise<Page> {
  const view = await presentReview(await catalogOf(gateway, link), link);
  const { token, as, approval, now } = link;
  const asInForm = as === undefined ? undefined : writePersonField(as);
  const runPath = approval.codeRunId !== null && link.run !== null ? `${approval.id}/run?${queryOf(link)}` : null;
  const data = { ...view, runPath, token, asInForm, notice: attempt?.notice, typed: attempt?.reason?.typed ?? '' };
  return { status: attempt?.status ?? 200, title: view.title, template: 'approval/approval', data, style: pageStyle(approval, now) };
}
