import type { OpenedLink } from '../../commands/approvals/open-approval-link.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { readCodeRunHistory } from '../../commands/reviews/read-code-run-history.ts';
import { type Approval, allowsHostedLink } from '../../domain/approval.ts';
import { findDeciderNames } from '../../store/approval-reviews.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import { found } from '../route.ts';
import { RUN_STYLE } from './code-run/page-style.ts';
import { presentRun } from './code-run/present-run.ts';
import type { Page } from './layout/render-page.ts';

/**
 * The page of a code run, opened with the link of one of its approvals. Members of the organization
 * see the reasons of all decisions. Throws CODE_RUN_NOT_FOUND.
 */
export async function codeRunPage(gateway: Gateway, link: OpenedLink & { token: string; as: string | undefined }): Promise<Page> {
  const { approval, viewer, token, as } = link;
  const run = found(approval.codeRunId === null ? undefined : await findCodeRun(gateway.db, approval.codeRunId), 'CODE_RUN_NOT_FOUND');
  const isMember = viewer?.type === 'user';
  const maySee = ({ id, approvalAccessMode }: Approval) => isMember || id === approval.id || allowsHostedLink(approvalAccessMode);
  const [history, deciders] = await Promise.all([
    readCodeRunHistory(gateway, run, { maySee }),
    isMember ? findDeciderNames(gateway.db, run.id) : new Map<string, string>(),
  ]);
  const view = await presentRun(link, history, { deciders, maySee });
  const back = `../${approval.id}?${new URLSearchParams({ token, ...(as === undefined ? {} : { as }) })}`;
  return { title: view.title, template: 'code-run/code-run', data: { ...view, back }, style: RUN_STYLE };
}
