import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { providerNames, readProvider, readProviderDocument } from '../integrations/declarative/load-providers.ts';
import { PROVIDER_CODE } from '../integrations/providers/code/index.ts';
import { checkProvider } from './check-provider.ts';
import { factDifferences } from './compare-facts.ts';
import { readExamples } from './examples.ts';
import { providerPage } from './provider-page.ts';
import type { Facts } from './read-facts.ts';
import { takeFacts } from './take-facts.ts';

const USAGE = `Usage:
  npm run provider -- docs                    write the page of every provider
  npm run provider -- facts NAME DOCUMENT PACKAGE VERSION PATH   take facts for the tests from the API's own document
  npm run provider -- check FILE [EXAMPLES]   check a provider and run its examples
`;

const FOLDER = join(import.meta.dirname, '../integrations/providers');
const FACTS = join(import.meta.dirname, '../test/integrations/providers/facts');

const PAGES = join(import.meta.dirname, '../docs/providers');
const EXAMPLES = join(import.meta.dirname, '../test/integrations/providers/examples');
const ACCEPTED = join(import.meta.dirname, '../test/integrations/providers/facts-differ.json');

async function check(file: string, examplesFile?: string): Promise<number> {
  const name = basename(file).replace(/\.ya?ml$|\.json$/, '');
  const folder = resolve(dirname(file));
  const integration = readProvider(name, readFileSync(file, 'utf8'), { folder, code: PROVIDER_CODE[name] });
  console.log(`${name}: the document is valid, ${Object.keys(integration.actions).length} actions`);
  const files = examplesFile ? [examplesFile] : [join(folder, `${name}.examples.yaml`), join(EXAMPLES, `${name}.yaml`)];
  const facts = readIfPresent(join(FACTS, `${name}.json`));
  const accepted = JSON.parse(readFileSync(ACCEPTED, 'utf8')) as Record<string, Record<string, string>>;
  const problems = await checkProvider({
    ...{ name, integration, document: readProviderDocument(file), examples: files.map(readExamples).find(Boolean) },
    facts: facts === undefined ? undefined : (JSON.parse(facts) as Facts),
    accepted: Object.keys(accepted[name] ?? {}),
    page: folder === FOLDER ? (readIfPresent(join(PAGES, `${name}.md`)) ?? '') : undefined,
  });
  for (const problem of problems) console.log(`${name}: ${problem}`);
  if (problems.length === 0)
    console.log(`${name}: every example matches${facts ? ', and the provider matches the document of the API' : ''}`);
  return problems.length > 0 ? 1 : 0;
}

function readIfPresent(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function facts(name: string, [document = '', packageName = '', version = '', path = '']: readonly string[]): number {
  const provider = readProviderDocument(join(FOLDER, `${name}.yaml`));
  const taken = takeFacts(provider, document, { package: packageName, version, path }, new Date().toISOString().slice(0, 10));
  writeFileSync(join(FACTS, `${name}.json`), `${JSON.stringify(taken, null, 1)}\n`);
  for (const difference of factDifferences(provider, taken)) console.log(difference);
  return 0;
}

function docs(): number {
  for (const name of providerNames(FOLDER)) {
    const page = providerPage(name, readProviderDocument(join(FOLDER, `${name}.yaml`)));
    writeFileSync(join(PAGES, `${name}.md`), page);
  }
  return 0;
}

const [command, file, examples, ...more] = process.argv.slice(2);
if (command === 'check' && file) {
  process.exitCode = await check(file, examples).catch((error) => {
    const issues = error.details?.issues as { path: string; line?: number; column?: number; message: string }[] | undefined;
    for (const { path, line, column, message } of issues ?? []) console.log(`${file}:${line ?? 1}:${column ?? 1} ${path} ${message}`);
    if (!issues) console.log(error.message);
    return 1;
  });
} else if (command === 'docs') {
  process.exitCode = docs();
} else if (command === 'facts' && file && examples) {
  process.exitCode = facts(file, [examples, ...more]);
} else {
  console.log(USAGE);
  process.exitCode = 1;
}
