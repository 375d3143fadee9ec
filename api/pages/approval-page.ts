import type { Context, Middleware } from 'koa';
import { decideApproval } from '../../commands/decide-approval.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { type ApprovalReview, openApprovalLink } from '../../commands/open-approval-link.ts';
import { DECISIONS, type Decision } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { notFound } from '../route.ts';
import { presentReview } from './approval/present-review.ts';
import { type Reason, readReason } from './approval/read-reason.ts';
import { assertOwnSite } from './layout/assert-own-site.ts';
import { hostedPage, type SeeOther } from './layout/hosted-page.ts';
import { readForm } from './layout/read-form.ts';
import type { Page } from './layout/render-page.ts';

/**
 * `{platform_url}/approve/<approval_id>?token=<link_token>` (specification 2.8): shows an approval to whoever holds its link, and
 * takes the decision. A link that opens nothing gets one and the same 404, whatever is wrong with it.
 */
export function approvalPage(gateway: Gateway): Middleware {
  return hostedPage(gateway.logger, {
    prefix: '/approve',
    get: async (ctx) => reviewPage(gateway, await openLink(gateway, ctx, ctx.query.token)),
    post: (ctx) => decide(gateway, ctx),
  });
}

const PATH = /^\/approve\/(apr_[0-9A-Za-z]+)$/;

interface OpenLink extends ApprovalReview {
  token: string;
}

async function openLink(gateway: Gateway, ctx: Context, token: unknown): Promise<OpenLink> {
  const approvalId = PATH.exec(ctx.path)?.[1];
  if (!approvalId || typeof token !== 'string') throw notFound('APPROVAL_NOT_FOUND', 'approval');
  const review = await openApprovalLink(gateway, approvalId, token);
  if (!review) throw notFound('APPROVAL_NOT_FOUND', 'approval');
  return { ...review, token };
}

async function decide(gateway: Gateway, ctx: Context): Promise<Page | SeeOther> {
  assertOwnSite(ctx, gateway.config);
  const form = await readForm(ctx);
  const link = await openLink(gateway, ctx, form.get('token'));
  const decision = readDecision(form.get('decision'));
  const reason = readReason(form.get('reason') ?? '');
  if (reason.problem) return reviewPage(gateway, link, { status: 400, notice: reason.problem, reason });
  try {
    await decideApproval(gateway, { approvalId: link.approval.id, decision, by: { type: 'hosted_link', id: null }, reason: reason.text });
  } catch (error) {
    if (!isTooLate(error)) throw error;
    return reviewPage(gateway, await openLink(gateway, ctx, link.token), { status: 409, notice: TOO_LATE });
  }
  return { seeOther: `${link.approval.id}?token=${link.token}` };
}

const TOO_LATE = 'Your answer came too late and changed nothing. This is how the request stands now.';

function isTooLate(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'APPROVAL_ALREADY_DECIDED' || error.code === 'APPROVAL_EXPIRED');
}

function readDecision(value: string | null): Decision {
  const decision = DECISIONS.find((known) => known === value);
  if (!decision) throw new GatewayError('VALIDATION_ERROR', 'The form names no decision: approve, reject or cancel.');
  return decision;
}

interface Attempt {
  status: number;
  notice: string;
  reason?: Reason;
}

function reviewPage(gateway: Gateway, link: OpenLink, attempt?: Attempt): Page {
  const view = presentReview(gateway.catalog, link);
  const data = { ...view, token: link.token, notice: attempt?.notice, typed: attempt?.reason?.typed ?? '' };
  return { status: attempt?.status ?? 200, title: view.title, template: 'approval/approval', data };
}
