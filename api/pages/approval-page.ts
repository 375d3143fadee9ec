import type { Context, Middleware } from 'koa';
import { decideByLink } from '../../commands/decide-by-link.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { type OpenedLink, openApprovalLink } from '../../commands/open-approval-link.ts';
import { DECISIONS, type Decision, OUTCOME } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { notFound } from '../route.ts';
import { pageStyle } from './approval/page-style.ts';
import { readPersonField, writePersonField } from './approval/person-field.ts';
import { presentReview } from './approval/present-review.ts';
import { type Reason, readReason } from './approval/read-reason.ts';
import { codeRunPage } from './code-run-page.ts';
import { assertOwnSite } from './layout/assert-own-site.ts';
import { hostedPage, type SeeOther } from './layout/hosted-page.ts';
import { readForm } from './layout/read-form.ts';
import type { Page } from './layout/render-page.ts';

/**
 * `{platform_url}/approve/<approval_id>?token=<link_token>` (specification 2.8), with `&as=<person>` where the link is one person's: shows an
 * approval to whoever holds the link, and takes the decision; with `/run` behind the id, the same link shows what the code run did that asked.
 * A link that opens nothing gets one and the same 404, whatever is wrong with it.
 */
export function approvalPage(gateway: Gateway): Middleware {
  return hostedPage(gateway.logger, {
    prefix: '/approve',
    get: async (ctx) => {
      const link = await openLink(gateway, ctx, ctx.query);
      return isOfRun(ctx) ? codeRunPage(gateway, link) : reviewPage(gateway, link);
    },
    post: (ctx) => {
      if (!isOfRun(ctx)) return decide(gateway, ctx);
      ctx.set('Allow', 'GET, HEAD');
      throw new GatewayError('METHOD_NOT_ALLOWED', 'Nothing is decided here.');
    },
  });
}

const PATH = /^\/approve\/(apr_[0-9A-Za-z]+)(\/run)?$/;

/** An opened link, with what its address held. */
interface OpenLink extends OpenedLink {
  token: string;
  as: string | undefined;
}

/** `/approve/<approval_id>/run`: what the code run did that asked. */
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
  assertOwnSite(ctx, gateway.config);
  const form = readFields(await readForm(ctx));
  const link = await openPostedLink(gateway, ctx, form);
  const decision = readDecision(form.decision);
  const reason = readReason(form.reason ?? '');
  if (reason.problem) return reviewPage(gateway, link, { status: 400, notice: reason.problem, reason });
  try {
    await decideByLink(gateway, link, { decision, reason: reason.text });
  } catch (error) {
    if (!isRefused(error)) throw error;
    const now = await openPostedLink(gateway, ctx, form);
    return reviewPage(gateway, now, { status: error.status, notice: noticeOf(error, now, decision) });
  }
  return {
    seeOther: `${link.approval.id}?${queryOf(link)}`,
  };
}

/** What opens the same link again. */
function queryOf({ token, as }: Pick<OpenLink, 'token' | 'as'>): string {
  return new URLSearchParams({ token, ...(as === undefined ? {} : { as }) }).toString();
}

async function openPostedLink(gateway: Gateway, ctx: Context, { token, as }: Record<string, string>): Promise<OpenLink> {
  if (as === undefined) return openLink(gateway, ctx, { token });
  const ref = readPersonField(as);
  if (ref === undefined) throw notFound('APPROVAL_NOT_FOUND', 'approval');
  return openLink(gateway, ctx, { token, as: ref });
}

/** A field that comes twice could be read in two ways, so it is refused. */
function readFields(form: URLSearchParams): Record<string, string> {
  if (new Set(form.keys()).size !== form.size) throw new GatewayError('VALIDATION_ERROR', 'The form names a field twice.');
  return Object.fromEntries(form);
}

function readDecision(value: string | undefined): Decision {
  const decision = DECISIONS.find((known) => known === value);
  if (!decision) throw new GatewayError('VALIDATION_ERROR', 'The form names no decision: approve, reject or cancel.');
  return decision;
}

const REFUSALS: readonly string[] = ['APPROVAL_ALREADY_DECIDED', 'APPROVAL_EXPIRED', 'APPROVAL_DECISION_SCOPE_REQUIRED'];

function isRefused(error: unknown): error is GatewayError {
  return error instanceof GatewayError && REFUSALS.includes(error.code);
}

function noticeOf({ code }: GatewayError, { approval }: OpenLink, decision: Decision): string {
  if (code === 'APPROVAL_DECISION_SCOPE_REQUIRED') return 'Your answer was not taken and changed nothing.';
  const isTwice = approval.status === OUTCOME[decision] && approval.decidedByType !== 'timeout';
  return isTwice
    ? `This request was ${approval.status} already. If that was you, your first answer counted; this one changed nothing.`
    : 'Your answer came too late and changed nothing. This is how the request stands now.';
}

interface Attempt {
  status: number;
  notice: string;
  reason?: Reason;
}

async function reviewPage(gateway: Gateway, link: OpenLink, attempt?: Attempt): Promise<Page> {
  const view = await presentReview(gateway.catalog, link);
  const { token, as, approval, now } = link;
  const asInForm = as === undefined ? undefined : writePersonField(as);
  const runPath = approval.codeRunId !== null && link.run !== null ? `${approval.id}/run?${queryOf(link)}` : null;
  const data = { ...view, runPath, token, asInForm, notice: attempt?.notice, typed: attempt?.reason?.typed ?? '' };
  return { status: attempt?.status ?? 200, title: view.title, template: 'approval/approval', data, style: pageStyle(approval, now) };
}
