import { z } from 'zod';
import { type Catalog, type CatalogAction, type CatalogIntegration, openCatalog } from '../../integrations/catalog.ts';
import { action } from '../../integrations/definition.ts';
import { knownIntegrations } from './known-integrations.ts';

const NOUNS =
  'invoice,order,customer,deal,lead,product,ticket,task,project,event,campaign,subscription,payment,refund,shipment,employee,vacation,form,survey,article,comment,attachment,webhook,report,warehouse'.split(
    ',',
  );
const VERBS = [
  ['create', 'Create a new', 'write'],
  ['get', 'Get one', 'read'],
  ['list', 'List every', 'read'],
  ['update', 'Change an existing', 'write'],
  ['delete', 'Delete an', 'delete'],
] as const;
const SYLLABLES = 'nor,ba,vel,tri,zan,qui,mon,dar,fle,sko,lum,pra'.split(',');
const FIELDS = ['name', 'status', 'ownerId', 'amount', 'currency', 'notes', 'dueDate', 'tags'];

/** A catalogue of `knownIntegrations` and of `actions` invented actions. */
export function largeCatalog(actions: number): Catalog {
  const perIntegration = NOUNS.length * VERBS.length;
  const invented = Array.from({ length: Math.ceil(actions / perIntegration) }, (_, n) =>
    inventIntegration(n, Math.min(perIntegration, actions - n * perIntegration)),
  );
  const real = openCatalog();
  const all = [...knownIntegrations(), ...invented].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(all.map((one) => [one.name, one]));
  return {
    list: () => all,
    find: (name) => byName.get(name),
    get: (name) => byName.get(name) ?? real.get(name),
    getAction: (integrationName, name) => byName.get(integrationName)?.actions.get(name) ?? real.getAction(integrationName, name),
  };
}

function inventIntegration(number: number, count: number): CatalogIntegration {
  const displayName = `${oddWord(number)}${SYLLABLES[(number * 7 + 3) % 12]!}`.replace(/^./, (letter) => letter.toUpperCase());
  const name = displayName.toLowerCase();
  const pairs = NOUNS.flatMap((noun) => VERBS.map((verb) => [noun, verb] as const)).slice(0, count);
  const actions = pairs.map(([noun, [verb, words, category]], index) => {
    const key = `${verb}_${noun}${verb === 'list' ? 's' : ''}`;
    return inventAction({
      name: key,
      integrationName: name,
      description: `${words} ${noun} in ${displayName}, by its id or for ${oddWord(number * 151 + index)}`,
      category,
    });
  });
  return {
    ...{ name, displayName, description: `Keep orders, customers and projects in ${displayName}`, logoUrl: null, auth: null },
    ...{ categories: ['SALES_AND_CRM'], actions: new Map(actions.map((one) => [one.name, one])) },
  };
}

/** Invents a word, because a real large catalogue has thousands of different words. */
function oddWord(number: number): string {
  return [number, number / 12, number / 144, number / 1728].map((part) => SYLLABLES[Math.floor(part) % 12]!).join('');
}

const EMPTY = z.strictObject({});

function inventAction(fields: Pick<CatalogAction, 'name' | 'integrationName' | 'description' | 'category'>): CatalogAction {
  const properties = Object.fromEntries(FIELDS.map((field) => [field, { type: 'string', description: `the ${field} to use` }]));
  return {
    ...action({ displayName: fields.name.replaceAll('_', ' '), ...fields, input: EMPTY, output: EMPTY, run: () => ({}) }),
    ...fields,
    auth: null,
    inputSchema: { type: 'object', properties, required: ['name'], additionalProperties: false },
    outputSchema: { type: 'object', properties: { id: { type: 'string' }, ...properties }, required: ['id'], additionalProperties: false },
  };
}
