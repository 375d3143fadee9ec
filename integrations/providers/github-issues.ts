import { z } from 'zod';
import { endpoint } from '../provider.ts';
import { assignees, comment, issue, issue_number, labels, ofRepository, owner, pages, repo } from './github-shapes.ts';

const names = z.array(z.string().min(1).max(100)).max(100).optional();
const title = z.string().min(1).max(256);
const body = z.string().max(65_536);
const query = z.string().min(1).max(256);
const ofIssue = { ...ofRepository, labels, assignees };

/** What GitHub does with issues, and so with pull requests. */
export const issueActions = {
  create_issue: endpoint({
    displayName: 'Create issue',
    description: 'Open an issue in a repository',
    category: 'write',
    input: z.object({
      ...{ owner, repo, title },
      body: body.optional().describe('text in Markdown'),
      labels: names.describe('names of labels'),
      assignees: names.describe('user names'),
      milestone: z.int().min(1).optional().describe('number of the milestone'),
    }),
    output: issue,
    request: { method: 'POST', path: '/repos/{owner}/{repo}/issues', json: ({ owner, repo, ...issue }) => issue },
    dynamic: ofIssue,
  }),

  get_issue: endpoint({
    displayName: 'Get issue',
    description: 'One issue or pull request, by its number',
    category: 'read',
    input: z.object({ owner, repo, issue_number }),
    output: issue,
    request: { path: '/repos/{owner}/{repo}/issues/{issue_number}' },
    dynamic: ofRepository,
  }),

  list_issues: endpoint({
    displayName: 'List issues',
    description: 'The issues and pull requests of a repository',
    category: 'read',
    input: z.object({
      ...{ owner, repo },
      state: z.enum(['open', 'closed', 'all']).default('open'),
      labels: names.describe('only issues that have all of these'),
      assignee: z.string().max(100).optional().describe('user name, "none" or "*"'),
      sort: z.enum(['created', 'updated', 'comments']).default('created'),
      direction: z.enum(['asc', 'desc']).default('desc'),
      since: z.iso.datetime({ offset: true }).optional().describe('only issues updated at this time or later'),
    }),
    output: z.object({ issues: z.array(issue) }),
    request: {
      path: '/repos/{owner}/{repo}/issues',
      query: ({ state, labels, assignee, sort, direction, since }) => ({
        ...{ state, assignee, sort, direction, since },
        labels: labels?.join(','),
      }),
    },
    reads: z.array(issue),
    answer: ({ body }) => ({ issues: body }),
    paging: pages,
    dynamic: { ...ofRepository, labels, assignee: assignees },
  }),

  update_issue: endpoint({
    displayName: 'Update issue',
    description: 'Change, close or reopen an issue; what is left out stays',
    category: 'write',
    idempotent: true,
    input: z.object({
      ...{ owner, repo, issue_number },
      title: title.optional(),
      body: body.optional().describe('text in Markdown'),
      state: z.enum(['open', 'closed']).optional(),
      state_reason: z.enum(['completed', 'not_planned', 'reopened']).optional(),
      labels: names.describe('replaces all labels'),
      assignees: names.describe('replaces all assignees'),
    }),
    output: issue,
    request: {
      method: 'PATCH',
      path: '/repos/{owner}/{repo}/issues/{issue_number}',
      json: ({ owner, repo, issue_number, ...changes }) => changes,
    },
    dynamic: ofIssue,
  }),

  create_issue_comment: endpoint({
    displayName: 'Create comment',
    description: 'Comment on an issue or a pull request',
    category: 'write',
    input: z.object({ owner, repo, issue_number, body: body.min(1).describe('text in Markdown') }),
    output: comment,
    request: { method: 'POST', path: '/repos/{owner}/{repo}/issues/{issue_number}/comments', json: ({ body }) => ({ body }) },
    dynamic: ofRepository,
  }),

  search_issues: endpoint({
    displayName: 'Search issues',
    description: 'Find issues and pull requests everywhere that the account can read',
    category: 'read',
    input: z.object({ query: query.describe("in GitHub's search syntax, such as repo:octocat/hello is:issue is:open crash") }),
    output: z.object({ total_count: z.number(), items: z.array(issue) }),
    request: { path: '/search/issues', query: ({ query }) => ({ q: query }) },
    paging: pages,
  }),
};
