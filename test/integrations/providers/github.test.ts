import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../../integrations/definition.ts';
import { type Fake, openFake, options, providerNamed, run } from './provider-bed.ts';

const auth: AuthValue = { type: 'SECRET_TEXT', secretText: 'ghp_s3cret' };
const github = providerNamed('github');
let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://api.github.com');
});
afterAll(() => fake.close());

const call = (name: string, input: object) => run(github, name, input, { auth, outbound: fake.outbound });
const place = { owner: 'octocat', repo: 'hello' };
const issue = {
  number: 7,
  title: 'Crash',
  state: 'open',
  html_url: 'https://github.com/octocat/hello/issues/7',
  body: null,
  user: { login: 'ada' },
  labels: [{ name: 'bug' }],
  assignees: [],
  comments: 0,
};
const repository = {
  ...{ id: 1, name: 'hello', full_name: 'octocat/hello', private: false, html_url: 'https://github.com/octocat/hello' },
  ...{ description: null, default_branch: 'main', owner: { login: 'octocat' } },
};
const link = '<https://api.github.com/x?per_page=2&page=3>; rel="next", <https://api.github.com/x?per_page=2&page=9>; rel="last"';

describe('actions', () => {
  test('create_issue', async () => {
    fake.answers({ status: 201, body: { ...issue, node_id: 'x', user: { login: 'ada', id: 1 } } });
    expect(await call('create_issue', { ...place, title: 'Crash', body: 'It does', labels: ['bug'] })).toEqual(issue);
    expect(fake.seen).toEqual([
      {
        method: 'POST',
        url: '/repos/octocat/hello/issues',
        headers: expect.objectContaining({
          authorization: 'Bearer ghp_s3cret',
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': 'integration-gateway',
        }),
        body: { title: 'Crash', body: 'It does', labels: ['bug'] },
      },
    ]);
  });

  test('get_issue', async () => {
    fake.answers({ body: issue });
    expect(await call('get_issue', { ...place, issue_number: 7 })).toEqual(issue);
    expect(fake.seen[0]!.url).toBe('/repos/octocat/hello/issues/7');
  });

  test('list_issues pages by the Link header', async () => {
    fake.answers({ headers: { 'content-type': 'application/json', link }, body: [issue] });
    expect(await call('list_issues', { ...place, labels: ['bug', 'p1'], limit: 2, cursor: '2' })).toEqual({
      issues: [issue],
      nextCursor: '3',
    });
    expect(fake.seen[0]!.url).toBe('/repos/octocat/hello/issues?state=open&sort=created&direction=desc&labels=bug%2Cp1&per_page=2&page=2');
    fake.answers({ headers: { 'content-type': 'application/json', link: link.replace('next', 'prev') }, body: [] });
    expect(await call('list_issues', place)).toEqual({ issues: [], nextCursor: null });
  });

  test('update_issue sends only the changes', async () => {
    fake.answers({ body: { ...issue, state: 'closed' } });
    expect(await call('update_issue', { ...place, issue_number: 7, state: 'closed' })).toMatchObject({ state: 'closed' });
    expect(fake.seen).toMatchObject([{ method: 'PATCH', url: '/repos/octocat/hello/issues/7', body: { state: 'closed' } }]);
  });

  test('create_issue_comment', async () => {
    const comment = { id: 5, html_url: 'https://github.com/octocat/hello/issues/7#issuecomment-5', body: 'Me too' };
    fake.answers({ status: 201, body: comment });
    expect(await call('create_issue_comment', { ...place, issue_number: 7, body: 'Me too' })).toEqual(comment);
    expect(fake.seen).toMatchObject([{ method: 'POST', url: '/repos/octocat/hello/issues/7/comments', body: { body: 'Me too' } }]);
  });

  test('get_repository', async () => {
    fake.answers({ body: { ...repository, permissions: { admin: true } } });
    expect(await call('get_repository', place)).toEqual(repository);
    expect(fake.seen[0]!.url).toBe('/repos/octocat/hello');
  });

  test('list_repositories', async () => {
    fake.answers({ headers: { 'content-type': 'application/json', link }, body: [repository] });
    expect(await call('list_repositories', { visibility: 'private' })).toEqual({ repositories: [repository], nextCursor: '3' });
    expect(fake.seen[0]!.url).toBe('/user/repos?visibility=private&sort=updated&per_page=30');
  });

  test('get_file_content returns the path and the text of the file, and encodes the path in the URL', async () => {
    fake.answers({ headers: { 'content-type': 'application/vnd.github.raw+json' }, body: '{"not":"parsed"}' });
    expect(await call('get_file_content', { ...place, path: 'docs/a b#1.md', ref: 'feature/x' })).toEqual({
      path: 'docs/a b#1.md',
      content: '{"not":"parsed"}',
    });
    expect(fake.seen[0]).toMatchObject({
      url: '/repos/octocat/hello/contents/docs/a%20b%231.md?ref=feature%2Fx',
      headers: { accept: 'application/vnd.github.raw+json' },
    });
  });

  test('search_issues and search_code', async () => {
    fake.answers({ body: { total_count: 1, incomplete_results: false, items: [issue] } });
    expect(await call('search_issues', { query: 'repo:octocat/hello crash' })).toEqual({
      total_count: 1,
      items: [issue],
      nextCursor: null,
    });
    expect(fake.seen[0]!.url).toBe('/search/issues?q=repo%3Aoctocat%2Fhello%20crash%20is%3Aissue&per_page=30');
    const file = {
      name: 'a.js',
      path: 'src/a.js',
      sha: 'abc',
      html_url: 'https://github.com/x',
      repository: { full_name: 'octocat/hello' },
    };
    fake.answers({ body: { total_count: 1, items: [{ ...file, score: 1 }] } });
    expect(await call('search_code', { query: 'x' })).toEqual({ total_count: 1, items: [file], nextCursor: null });
    expect(fake.seen[0]!.url).toBe('/search/code?q=x&per_page=30');
  });
});

describe('failures', () => {
  test('the error for invalid input names the fields', async () => {
    const errors = [{ resource: 'Issue', code: 'missing_field', field: 'title' }];
    fake.answers({ status: 422, body: { message: 'Validation Failed', errors, documentation_url: 'https://docs.github.com' } });
    await expect(call('create_issue', { ...place, title: 'x' })).rejects.toMatchObject({
      message: 'GitHub answered 422 Unprocessable Entity: Validation Failed; title missing_field',
    });
  });

  test('the error for an exhausted rate limit (403) says when to retry', async () => {
    const now = new Date('2026-01-01T00:00:00Z');
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now.getTime() / 1000 + 90) };
    fake.answers({ status: 403, headers, body: { message: 'API rate limit exceeded' } });
    await expect(run(github, 'get_repository', place, { auth, outbound: fake.outbound, now })).rejects.toMatchObject({
      details: { status: 403, reason: 'rate_limited', retryAfterSeconds: 90 },
    });
  });

  test('404 and bad credentials', async () => {
    fake.answers({ status: 404, body: { message: 'Not Found' } });
    await expect(call('get_repository', place)).rejects.toMatchObject({ message: 'GitHub answered 404 Not Found: Not Found' });
    fake.answers({ status: 401, body: { message: 'Bad credentials' } });
    await expect(call('get_repository', place)).rejects.toMatchObject({ details: { status: 401, reason: 'unauthorized' } });
  });
});

test('choices are owners, their repositories, and the labels and assignees of a repository', async () => {
  const choicesOf = (name: `${string}.${string}`, input = {}) => options(github, name, input, { auth, outbound: fake.outbound });
  fake.answers({ body: [repository, { ...repository, name: 'other' }, { ...repository, name: 'foreign', owner: { login: 'ada' } }] });
  expect(await choicesOf('get_issue.owner')).toEqual([
    { label: 'octocat', value: 'octocat' },
    { label: 'ada', value: 'ada' },
  ]);
  expect(fake.seen[0]!.url).toBe('/user/repos?sort=updated&per_page=100');
  expect(await choicesOf('get_issue.repo')).toEqual([]);
  expect(await choicesOf('get_issue.repo', { owner: 'OctoCat' })).toEqual([
    { label: 'hello', value: 'hello' },
    { label: 'other', value: 'other' },
  ]);
  fake.answers({ body: [{ name: 'bug' }] });
  expect(await choicesOf('create_issue.labels', { owner: 'octocat' })).toEqual([]);
  expect(await choicesOf('create_issue.labels', place)).toEqual([{ label: 'bug', value: 'bug' }]);
  expect(fake.seen[0]!.url).toBe('/repos/octocat/hello/labels?per_page=100');
  fake.answers({ body: [{ login: 'ada' }] });
  expect(await choicesOf('list_issues.assignee', place)).toEqual([{ label: 'ada', value: 'ada' }]);
});
