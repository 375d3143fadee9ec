import { z } from 'zod';
import { choices, nextInLink } from '../provider.ts';
import type { Paging } from '../provider-paging.ts';

/** What GitHub says when it refuses; a validation failure names its fields. */
export const githubError = z
  .object({
    message: z.string(),
    errors: z
      .array(z.union([z.string(), z.object({ field: z.string().nullish(), code: z.string().nullish(), message: z.string().nullish() })]))
      .optional(),
  })
  .transform(({ message, errors = [] }) => ({
    message: [
      message,
      ...errors
        .slice(0, 5)
        .map((error) => (typeof error === 'string' ? error : error.message || [error.field, error.code].filter(Boolean).join(' '))),
    ].join('; '),
  }));

export const pages: Paging = { cursor: 'page', size: { name: 'per_page', default: 30, max: 100 }, next: nextInLink('page') };

export const owner = z.string().min(1).max(100).describe('user or organization that the repository belongs to');
export const repo = z.string().min(1).max(100).describe('name of the repository, without its owner');
export const issue_number = z.int().min(1).describe('number of the issue or pull request');

const login = z.object({ login: z.string() }).nullish();

export const repository = z.object({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  private: z.boolean(),
  html_url: z.string(),
  description: z.string().nullish(),
  default_branch: z.string().nullish(),
  language: z.string().nullish(),
  stargazers_count: z.number().nullish(),
  open_issues_count: z.number().nullish(),
  archived: z.boolean().nullish(),
  updated_at: z.string().nullish(),
  owner: login,
});

export const issue = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  body: z.string().nullish(),
  user: login,
  assignees: z.array(z.object({ login: z.string() })).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).nullish(),
  comments: z.number().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  closed_at: z.string().nullish(),
  pull_request: z.object({ html_url: z.string().nullish() }).nullish().describe('present where the issue is a pull request'),
});

export const comment = z.object({
  id: z.number(),
  html_url: z.string(),
  body: z.string().nullish(),
  user: login,
  created_at: z.string().nullish(),
});

const myRepositories = { path: '/user/repos', query: () => ({ sort: 'updated' }) };

const owners = choices({
  request: myRepositories,
  paging: pages,
  reads: z.array(repository),
  options: (found) => found.flatMap(({ owner }) => (owner ? [{ label: owner.login, value: owner.login }] : [])),
});
export const repositories = choices({
  refreshers: ['owner'],
  request: myRepositories,
  paging: pages,
  reads: z.array(repository),
  options: (found, input) =>
    found
      .filter(({ owner }) => owner?.login.toLowerCase() === String(input.owner).toLowerCase())
      .map(({ name }) => ({ label: name, value: name })),
});
export const labels = choices({
  refreshers: ['owner', 'repo'],
  request: { path: '/repos/{owner}/{repo}/labels' },
  paging: pages,
  reads: z.array(z.object({ name: z.string() })),
  options: (found) => found.map(({ name }) => ({ label: name, value: name })),
});
export const assignees = choices({
  refreshers: ['owner', 'repo'],
  request: { path: '/repos/{owner}/{repo}/assignees' },
  paging: pages,
  reads: z.array(z.object({ login: z.string() })),
  options: (found) => found.map(({ login }) => ({ label: login, value: login })),
});

/** The choices of the inputs that name a repository. */
export const ofRepository = { owner: owners, repo: repositories };
