import { z } from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { action, integration } from '../definition.ts';
import { cutText } from './cut-text.ts';
import { fetchHtml, fetchPage, type Reach } from './fetch-page.ts';
import { type PageTask, parsePage, type ReadArticle } from './parse-page.ts';
import { WEB_URL_MAX_LENGTH, webUrl } from './web-url.ts';

const CONTENT_MAX_LENGTH = 200_000;
/** Of each of several pages, so that ten of them make one output. */
const SHARED_MAX_LENGTH = 30_000;

const pageTitle = z.string().describe('the title element of the page, else its first heading');
const article = z.object({
  url: z.string().describe('the address that answered, after redirects'),
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
  description: 'Read public web pages: their main part as Markdown or text, their links, and what they say about themselves',
  logoUrl: null,
  categories: ['CONTENT_AND_FILES', 'AI'],
  auth: null,
  actions: {
    fetch_as_markdown: action({
      displayName: 'Fetch as Markdown',
      description: 'The main part of a page as Markdown, without menus and scripts; at most 5 MB are read and 200,000 characters answered',
      category: 'read',
      input: z.object({
        url: webUrl,
        includeLinks: z.boolean().default(true).describe('false: of a link only its text'),
        includeImages: z.boolean().default(false),
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
      input: z.object({ url: webUrl }),
      output: article,
      run: (context) => fetchArticle(context, context.input.url, { kind: 'text' }, CONTENT_MAX_LENGTH),
    }),

    extract_links: action({
      displayName: 'Extract links',
      description: 'The web addresses that a page links to, each once, in the order of the page; at most 1,000',
      category: 'read',
      input: z.object({
        url: webUrl,
        filterPattern: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe(
            'a regular expression to find in the absolute address, or a glob that starts with * such as *.pdf; case does not count',
          ),
      }),
      output: z.object({
        url: z.string().describe('the address that answered, after redirects'),
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
      description: 'What a page says about itself: title, meta tags, Open Graph, Twitter cards, JSON-LD and its canonical address',
      category: 'read',
      input: z.object({ url: webUrl }),
      output: z.object({
        url: z.string().describe('the address that answered, after redirects'),
        title: pageTitle,
        description: z.string().nullable(),
        canonicalUrl: z.string().nullable(),
        language: z.string().nullable(),
        meta: properties.describe('by name in lower case; a list where one occurs several times'),
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
      description:
        'The main parts of up to ten pages, at most 30,000 characters each. One that fails does not keep the others from being read',
      category: 'read',
      input: z.object({
        urls: z.array(z.string().min(1).max(WEB_URL_MAX_LENGTH)).min(1).max(10).describe('public https addresses'),
        format: z.enum(['markdown', 'text']).default('markdown'),
      }),
      output: z.object({
        results: z
          .array(
            z.object({
              requestedUrl: z.string(),
              ok: z.boolean(),
              page: article.optional().describe('where ok'),
              error: z.string().optional().describe('what went wrong, where not ok'),
              said: z.string().optional().describe('the beginning of what a site said that answered 4xx or 5xx'),
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

/** What is not HTML is its own content. */
function plain(content: string): ReadArticle {
  return { title: '', byline: null, siteName: null, excerpt: null, language: null, content };
}
