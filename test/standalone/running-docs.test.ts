import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../infra/config.ts';
import { ADMIN_COMMANDS } from '../../standalone/admin/commands.ts';

const ROOT = join(import.meta.dirname, '../..');
const docs = readFileSync(join(ROOT, 'docs/running.md'), 'utf8');
const table = docs.slice(docs.indexOf('## Variables'), docs.indexOf('## Upgrading'));
const rows = [...table.matchAll(/^\| `(\w+)` *\| *(?:`([^`]*)`)? *\|/gm)].map(([, name, value]) => [name!, value ?? ''] as const);

test('docs/running.md lists exactly the variables that the service reads, in the same order', () => {
  expect(rows.map(([name]) => name)).toEqual(Object.keys(VARIABLES));
});

test.each(rows)('the default of %s is "%s", as documented', (name, documented) => {
  const value = VARIABLES[name as keyof typeof VARIABLES].parse(undefined);
  expect(String(value || '')).toBe(documented);
});

test('docs/running.md lists every script of package.json, and every command and option of admin', () => {
  const commands = docs.slice(docs.indexOf('## Commands'), docs.indexOf('## Ports'));
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const listed = [...commands.matchAll(/^\| `npm (?:run )?(?:--silent )?([\w:-]+)/gm)].map(([, script]) => script!);
  expect([...new Set(listed)].sort()).toEqual([...Object.keys(scripts), 'ci'].sort());

  for (const { name, usage } of ADMIN_COMMANDS) {
    const row = commands.split('\n').find((text) => text.includes(`admin -- ${name}\``));
    const options = usage.split(/\n| (?=--|\[)/).filter((part) => /^\[?--/.test(part));
    for (const option of options) expect([name, row]).toEqual([name, expect.stringContaining(option.replace(/[[\]]/g, ''))]);
    expect([name, row]).toEqual([name, expect.any(String)]);
  }
});

test('docs/running.md explains every error that can end the start', () => {
  const troubles = docs.slice(docs.indexOf('## When something'));
  const explained = [...troubles.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, sentence]) => sentence!.split('…')),
  );
  const isExplained = (source: string) => explained.some((parts) => parts.every((part) => source.includes(part.trim())));
  expect(sourcesOfSetupErrors().filter((source) => !isExplained(source))).toEqual([]);
});

function sourcesOfSetupErrors(): string[] {
  const sources = ['standalone', 'infra'].flatMap((folder) => startSources(folder));
  const sentences = sources.flatMap((source) => [...source.matchAll(/new SetupError\(\s*([`'][^;]*);/g)].map(([, sentence]) => sentence!));
  expect(sentences.length).toBeGreaterThan(15);
  return sentences;
}

/** The sources in a folder, without the admin commands, whose errors do not end the start. */
function startSources(folder: string): string[] {
  const files = readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('admin'),
  );
  return files.map((file) => readFileSync(join(ROOT, folder, file), 'utf8'));
}
