import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { providerNames, readProvider, readProviderDocument } from '../integrations/declarative/load-providers.ts';
import { PROVIDER_CODE } from '../integrations/providers/code/index.ts';
import { factProblems } from './compare-facts.ts';
import { readExamples } from './examples.ts';
import { providerPage } from './provider-page.ts';
import { runExamples } from './run-examples.ts';
import { takeFacts } from './take-facts.ts';

const USAGE = `Usage:
  npm run provider -- docs                    write the page of every provider
  npm run provider -- facts NAME DOCUMENT PACKAGE VERSION PATH   take what the tests need from the API's own document
  npm run provider -- check FILE [EXAMPLES]   check a provider and run its examples
`;

/** Examples are beside the file as NAME.examples.yaml, or in the tests' folder. */
function examplesBeside(file: string, name: string): string[] {
  return [
    join(dirname(file), `${name}.examples.yaml`),
    join(import.meta.dirname, '../test/integrations/providers/examples', `${name}.yaml`),
  ];
}

async function check(file: string, examplesFile?: string): Promise<number> {
  const name = basename(file).replace(/\.ya?ml$|\.json$/, '');
  const integration = readProvider(name, readFileSync(file, 'utf8'), { folder: dirname(file), code: PROVIDER_CODE[name] });
  const actions = Object.keys(integration.actions);
  console.log(`${name}: the document is valid, ${actions.length} actions`);
  const undescribed = actions.flatMap((action) =>
    undescribedInputs(integration.actions[action]!.input.json).map((input) => `${action}.${input}`),
  );
  for (const input of undescribed) console.log(`${input}: the input has no description`);
  const files = examplesFile ? [examplesFile] : examplesBeside(file, name);
  const examples = files.map(readExamples).find(Boolean);
  if (!examples) {
    console.log(`There are no examples: looked for ${files.join(' and ')}.`);
    return 1;
  }
  const findings = await runExamples(integration, examples);
  for (const { place, example, problems } of findings)
    for (const problem of problems) console.log(`${place}, example ${example}: ${problem}`);
  if (findings.length === 0) console.log(`${name}: every example is as described`);
  return findings.length + undescribed.length > 0 ? 1 : 0;
}

function undescribedInputs(schema: Record<string, unknown>): string[] {
  const properties = (schema.properties ?? {}) as Record<string, { description?: string }>;
  return Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : [name]));
}

const FOLDER = join(import.meta.dirname, '../integrations/providers');
const FACTS = join(import.meta.dirname, '../test/integrations/providers/facts');

function facts(name: string, [document = '', packageName = '', version = '', path = '']: readonly string[]): number {
  const provider = readProviderDocument(join(FOLDER, `${name}.yaml`));
  const taken = takeFacts(provider, document, { package: packageName, version, path }, new Date().toISOString().slice(0, 10));
  writeFileSync(join(FACTS, `${name}.json`), `${JSON.stringify(taken, null, 1)}\n`);
  for (const [action, { request }] of Object.entries(provider.actions))
    for (const problem of taken.operations[action]
      ? factProblems(provider, provider.actions[action]!, taken.operations[action])
      : request
        ? ['the document has no such operation']
        : [])
      console.log(`${action}: ${problem}`);
  return 0;
}

/** Writes one page for each provider in docs/providers. */
function docs(): number {
  for (const name of providerNames(FOLDER)) {
    const page = providerPage(name, readProviderDocument(join(FOLDER, `${name}.yaml`)));
    writeFileSync(join(import.meta.dirname, '../docs/providers', `${name}.md`), page);
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
