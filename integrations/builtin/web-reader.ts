import { z } from 'zod';
import { cutText } from '../../domain/cut-text.ts';
import { GatewayError } from '../../domain/errors.ts';
import { action, integration } from '../definition.ts';
import { categorizes, fetchCategories } from './http/request-categories.ts';
import { WEB_URL_MAX_LENGTH, webUrl } from './http/web-url.ts';
import { fetchHtml, fetchPage, type Reach } from './web-reader/fetch-page.ts';
import { type PageTask, parsePage, type ReadArticle } from './web-reader/parse-page.ts';

const CONTENT_MAX_LENGTH = 200_000;
/** Limit per page if several pages are read, so that ten pages fit into one output. */
const SHARED_MAX_LENGTH = 30_000;

const pageTitle = z.string().describe('the title element of the page or, without one, its first heading');
const article = z.object({
  url: z.string().describe('final address, after redirects'),
  title: pageTitle,
  byline: z.string().nullable(),
  siteName: z.string().nullable(),
  excerpt: z.string().nullable(),
  language: z.string().nullable(),
  content: z.string(),
  truncated: z.boolean().describe('whether the content was cut'),
});
const properties = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export const webReader = integration({
  name: 'web-reader',
  displayName: 'Web Reader',
  description: 'Read public web pages: their main part as Markdown or text, their links, and their metadata',
  logoUrl: null,
  categories: ['CONTENT_AND_FILES', 'AI'],
  auth: null,
  actions: {
    fetch_as_markdown: action({
      displayName: 'Fetch as Markdown',
      description: 'The main part of a page as Markdown, without menus and scripts; at most 5 MB are read and 200,000 characters answered',
      category: 'read',
      ...readsAddresses(({ url }: { url: string }) => [url]),
      input: z.object({
        url: webUrl,
        includeLinks: z.boolean().default(true).describe('false: only the text of links'),
        includeImages: z.boolean().default(false).describe('whether images are linked'),
      }),
      output: article,
      run: (context) => {
        const { url, includeLinks, includeImages } = context.input;
        return fetchArticle(context, url, { kind: 'markdown', includeLinks, includeImages }, CONTENT_MAX_LENGTH);
      },
    }),

    fetch_as_text: action({
      displayName: 'Fetch as text',
      description: 'The main part of a page as plain text; at most 5 MB are read and 200,000 characters answered',
      category: 'read',
      ...readsAddresses(({ url }: { url: string }) => [url]),
      input: z.object({ url: webUrl }),
      output: article,
      run: (context) => fetchArticle(context, context.input.url, { kind: 'text' }, CONTENT_MAX_LENGTH),
    }),

    extract_links: action({
      displayName: 'Extract links',
      description: 'The web addresses that a page links to, each once, in the order of the page; at most 1,000',
      category: 'read',
      ...readsAddresses(({ url }: { url: string }) => [url]),
      input: z.object({
        url: webUrl,
        filterPattern: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('a regular expression to find in the absolute address, or a glob that starts with * such as *.pdf; ignores case'),
      }),
      output: z.object({
        url: z.string().describe('final address, after redirects'),
        links: z.array(z.object({ url: z.string(), text: z.string(), isExternal: z.boolean().describe('on another host') })),
        total: z.number(),
        truncated: z.boolean(),
      }),
      async run(context) {
        const page = await fetchHtml(context, context.input.url);
        const task = { kind: 'links', filterPattern: context.input.filterPattern } as const;
        return { url: page.url, ...(await parsePage({ html: page.text, url: page.url }, task, context)) };
      },
    }),

    extract_structured_data: action({
      displayName: 'Extract structured data',
      description: 'Metadata of a page: title, meta tags, Open Graph, Twitter cards, JSON-LD and its canonical address',
      category: 'read',
      ...readsAddresses(({ url }: { url: string }) => [url]),
      input: z.object({ url: webUrl }),
      output: z.object({
        url: z.string().describe('final address, after redirects'),
        title: pageTitle,
        description: z.string().nullable(),
        canonicalUrl: z.string().nullable(),
        language: z.string().nullable(),
        meta: properties.describe('by name in lower case; a list if a name is repeated'),
        openGraph: properties,
        twitter: properties,
        jsonLd: z.array(z.unknown()),
        malformedJsonLd: z.number().describe('blocks of JSON-LD that could not be read and were left out'),
        truncated: z.boolean().describe('whether JSON-LD beyond 256 kB was left out'),
      }),
      async run(context) {
        const page = await fetchHtml(context, context.input.url);
        return { url: page.url, ...(await parsePage({ html: page.text, url: page.url }, { kind: 'structured' }, context)) };
      },
    }),

    fetch_multiple: action({
      displayName: 'Fetch multiple',
      description: 'The main parts of up to ten pages, at most 30,000 characters each. A page that fails does not affect the others',
      category: 'read',
      ...readsAddresses(({ urls }: { urls: string[] }) => urls),
      input: z.object({
        urls: z.array(z.string().min(1).max(WEB_URL_MAX_LENGTH)).min(1).max(10).describe('public https addresses'),
        format: z.enum(['markdown', 'text']).default('markdown').describe('format of the content'),
      }),
      output: z.object({
        results: z
          .array(
            z.object({
              requestedUrl: z.string(),
              ok: z.boolean(),
              page: article.optional().describe('the page, if ok'),
              error: z.string().optional().describe('the error, if not ok'),
              said: z.string().optional().describe('beginning of the body of a 4xx or 5xx answer'),
            }),
          )
          .describe('in the order of urls'),
        succeeded: z.number(),
        failed: z.number(),
      }),
      async run(context) {
        const { urls, format } = context.input;
        const results = await Promise.all(urls.map((url) => attempt(context, url, TASKS[format])));
        const succeeded = results.filter(({ ok }) => ok).length;
        return { results, succeeded, failed: results.length - succeeded };
      },
    }),
  },
});

/**
 * A fetch may change data if the query of an address contains a GraphQL operation or overrides the
 * method.
 */
function readsAddresses<Input extends object>(urlsOf: (input: Input) => readonly string[]) {
  return categorizes((input: Input) => fetchCategories(urlsOf(input)));
}

type ArticleTask = Extract<PageTask['task'], { kind: 'markdown' | 'text' }>;

const TASKS: Record<'markdown' | 'text', ArticleTask> = {
  markdown: { kind: 'markdown', includeLinks: true, includeImages: false },
  text: { kind: 'text' },
};

async function attempt(reach: Reach, requestedUrl: string, task: ArticleTask) {
  try {
    return { requestedUrl, ok: true, page: await fetchArticle(reach, requestedUrl, task, SHARED_MAX_LENGTH) };
  } catch (error) {
    if (reach.signal.aborted || !(error instanceof GatewayError)) throw error;
    const said = error.details?.body;
    return { requestedUrl, ok: false, error: error.message, ...(typeof said === 'string' && { said }) };
  }
}

async function fetchArticle(reach: Reach, address: string, task: ArticleTask, maxLength: number) {
  const { url, text, isHtml } = await fetchPage(reach, address);
  const article = isHtml ? await parsePage({ html: text, url }, task, reach) : plain(text);
  const content = cutText(article.content, maxLength);
  return { url, ...article, content, truncated: content.length < article.content.length };
}

function plain(content: string): ReadArticle {
  return { title: '', byline: null, siteName: null, excerpt: null, language: null, content };
}
