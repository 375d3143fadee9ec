import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Context } from 'koa';
import { lazy } from '../../../domain/lazy.ts';
import { notFound } from '../../route.ts';

/** A file of the dashboard. Its name contains a hash, so browsers may cache it forever. */
interface Asset {
  file: string;
  bytes: Buffer;
  brotli: Buffer;
}

/** Finds and serves the files of the dashboard. Templates use the names without hash. */
export interface Assets {
  /** The path is relative to /app. */
  pathOf(name: AssetName): string;
  /** Throws NOT_FOUND for an unknown or former file. */
  serve(ctx: Context, file: string): void;
}

const SHEETS = [
  ...['layout/colors', 'layout/elements', 'layout/page', 'layout/values', 'layout/forms'],
  ...['approval/approval', 'approval/countdown', 'approval/changes', 'approval/code', 'code-run/code-run'],
];
const OWN_SHEETS = [
  ...['layout/frame', 'layout/screens', 'layout/lists', 'overview/overview', 'layout/live', 'pictures/pictures'],
  ...['playground/playground', 'servers/servers', 'integrations/integrations', 'runs/runs', 'webhooks/webhooks', 'policies/policies'],
  'layout/phone',
];

const SOURCES = {
  'app.css': async () => [...SHEETS, ...OWN_SHEETS.map((name) => `app/${name}`)].map((name) => read(`../${name}.css`)).join('\n'),
  'app.js': () => bundle('main.ts', 'iife'),
  'editor.js': () => bundle('editor.ts', 'esm'),
  'favicon.svg': async () => read('../layout/favicon.svg'),
};
type AssetName = keyof typeof SOURCES;

/** Builds the files at the first call and keeps them in memory. */
export const assets = lazy(openAssets);

async function openAssets(): Promise<Assets> {
  const names = Object.keys(SOURCES) as AssetName[];
  const made = new Map(await Promise.all(names.map(async (name) => [name, await makeAsset(name)] as const)));
  await (await import('esbuild')).stop(); // otherwise the process of esbuild keeps running
  const byFile = new Map([...made.values()].map((asset) => [asset.file, asset]));
  return {
    pathOf: (name) => `/assets/${made.get(name)!.file}`,
    serve: (ctx, file) => {
      const asset = byFile.get(file);
      if (!asset) throw notFound();
      ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' });
      ctx.type = file.slice(file.lastIndexOf('.'));
      ctx.vary('Accept-Encoding');
      const isBrotli = ctx.acceptsEncodings('br') === 'br';
      if (isBrotli) ctx.set('Content-Encoding', 'br');
      ctx.body = isBrotli ? asset.brotli : asset.bytes;
    },
  };
}

async function makeAsset(name: AssetName): Promise<Asset> {
  const bytes = Buffer.from(await SOURCES[name]());
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const brotli = await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return { file: name.replace('.', `.${hash}.`), bytes, brotli };
}

async function bundle(entry: string, format: 'iife' | 'esm'): Promise<string> {
  const { build } = await import('esbuild'); // imported late: 11 MB, and used only here
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'browser', entry)],
    ...{ bundle: true, write: false, minify: true, format, target: 'es2022', legalComments: 'inline' },
  });
  return outputFiles[0]!.text;
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}
