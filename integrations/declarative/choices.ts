import type { PropOption } from '../definition.ts';
import type { Choices } from '../provider-choices.ts';
import { holds } from './condition.ts';
import type { ChoicesDocument, ProviderDocument } from './document.ts';
import { toPaging } from './paging.ts';
import { toRequestShape } from './request.ts';
import { isName, render } from './template.ts';
import { textAt, valueAt } from './value-at.ts';

/** Converts choices that a document describes in place or by the name of shared choices. */
export function toChoices(described: ChoicesDocument | string, document: Pick<ProviderDocument, 'choices' | 'paging'>): Choices {
  const choices = typeof described === 'string' ? document.choices?.[described] : described;
  if (!choices) throw new TypeError(`there are no choices named ${described}`);
  const { request, format, search, paging, refreshers } = choices;
  const said = paging === true ? document.paging : paging;
  return {
    request: toRequestShape(request),
    refreshers: refreshers ?? inputsOfPath(request.path),
    ...(format && { format }),
    ...(search !== undefined && { search }),
    ...(said && { paging: toPaging(said) }),
    options: (body, input) => optionsIn(choices, body, input),
  };
}

function optionsIn(
  { items = '', label, value, where, sorted }: ChoicesDocument,
  body: unknown,
  input: Readonly<Record<string, unknown>>,
): PropOption[] {
  const conditions = where === undefined ? [] : [where].flat();
  const found = [valueAt(body, items) ?? []].flat();
  const options = found
    .filter((item) => conditions.every((condition) => holds(condition, { item, input, body })))
    .flatMap((item) => {
      const chosen = read(value, item, input);
      if (chosen === undefined || chosen === null || typeof chosen === 'object') return [];
      const shown = [label]
        .flat()
        .map((one) => (one.includes('{') ? read(one, item, input) : textAt(item, own(one))))
        .find((text) => text !== undefined && text !== '');
      return [{ label: String(shown ?? chosen), value: chosen }];
    });
  return sorted ? options.sort((a, b) => (a.label < b.label ? -1 : 1)) : options;
}

function read(text: string, item: unknown, input: Readonly<Record<string, unknown>>): unknown {
  return isName(text) || text.includes('{') ? render(text, { item, input }) : valueAt(item, own(text));
}

function own(path: string): string {
  return path === 'item' ? '' : path.replace(/^item\./, '');
}

function inputsOfPath(path: string): string[] {
  return [...path.matchAll(/\{\+?(?:input\.)?(\w+)\}/g)].map(([, name]) => name!);
}
