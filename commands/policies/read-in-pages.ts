import type { Policy } from '../../domain/policies/policy.ts';

const PAGE = 100;

/**
 * At most `limit` policies with ids after `after`, ordered by id. Without `after`, the first page.
 */
export interface PolicyPage {
  after: string | undefined;
  limit: number;
}

/** Reads policies page by page, so that a long list does not block other requests. */
export async function readInPages(read: (page: PolicyPage) => Promise<Policy[]>): Promise<Policy[]> {
  const policies: Policy[] = [];
  for (let after: string | undefined; ; after = policies.at(-1)!.id) {
    const page = await read({ after, limit: PAGE });
    policies.push(...page);
    if (page.length < PAGE) return policies;
  }
}
