import { z } from 'zod';
import { bearer, endpoint, provider } from '../provider.ts';
import { issueActions } from './github-issues.ts';
import { githubError, ofRepository, owner, pages, repo, repository } from './github-shapes.ts';

const query = z.string().min(1).max(256);

export const github = provider({
  name: 'github',
  displayName: 'GitHub',
  description: 'Read and write issues, and read repositories and code, on GitHub',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: [
    {
      key: 'oauth2',
      type: 'OAUTH2',
      displayName: 'Sign in with GitHub',
      description: 'Acts as the person who signs in',
      oauth2: {
        authorizationUrl: 'https://github.com/login/oauth/authorize',
        tokenUrl: 'https://github.com/login/oauth/access_token',
        scopes: ['repo', 'read:user'],
      },
    },
    {
      key: 'token',
      type: 'SECRET_TEXT',
      displayName: 'Personal access token',
      description: 'A token, fine-grained or classic, from Settings, Developer settings',
    },
  ],
  baseUrl: 'https://api.github.com',
  authenticate: bearer,
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  errors: githubError,
  actions: {
    ...issueActions,

    get_repository: endpoint({
      displayName: 'Get repository',
      description: 'One repository, by its owner and name',
      category: 'read',
      input: z.object({ owner, repo }),
      output: repository,
      request: { path: '/repos/{owner}/{repo}' },
      dynamic: ofRepository,
    }),

    list_repositories: endpoint({
      displayName: 'List repositories',
      description: 'The repositories that the account can reach',
      category: 'read',
      input: z.object({
        visibility: z.enum(['all', 'public', 'private']).default('all'),
        sort: z.enum(['created', 'updated', 'pushed', 'full_name']).default('updated'),
      }),
      output: z.object({ repositories: z.array(repository) }),
      request: { path: '/user/repos', query: ({ visibility, sort }) => ({ visibility, sort }) },
      reads: z.array(repository),
      answer: ({ body }) => ({ repositories: body }),
      paging: pages,
    }),

    get_file_content: endpoint({
      displayName: 'Get file content',
      description: 'The text of a file of a repository; at most 5 MB',
      category: 'read',
      format: 'text',
      input: z.object({
        ...{ owner, repo },
        path: z.string().min(1).max(1000).describe('such as docs/readme.md'),
        ref: z.string().max(250).optional().describe('branch, tag or commit; default: the default branch'),
      }),
      output: z.object({ path: z.string(), content: z.string() }),
      request: {
        path: '/repos/{owner}/{repo}/contents/{+path}',
        query: ({ ref }) => ({ ref }),
        headers: () => ({ accept: 'application/vnd.github.raw+json' }),
      },
      reads: z.string(),
      answer: ({ body, input }) => ({ path: input.path, content: body }),
      dynamic: ofRepository,
    }),

    search_code: endpoint({
      displayName: 'Search code',
      description: 'Find files by their content',
      category: 'read',
      input: z.object({ query: query.describe("in GitHub's search syntax, such as addClass repo:jquery/jquery language:js") }),
      output: z.object({
        total_count: z.number(),
        items: z.array(
          z.object({
            name: z.string(),
            path: z.string(),
            sha: z.string(),
            html_url: z.string(),
            repository: z.object({ full_name: z.string() }),
          }),
        ),
      }),
      request: { path: '/search/code', query: ({ query }) => ({ q: query }) },
      paging: pages,
    }),
  },
});
