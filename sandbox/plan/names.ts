import type { AnyNode } from 'acorn';
import { type State, type Surface, type SvcValue, signal } from './state.ts';

/** Aliases and actions as code may write them: exactly, or with underscores for hyphens. */
export function codeNames(surface: Surface): Pick<State, 'aliases' | 'actions'> {
  const names = Object.keys(surface);
  return { aliases: byCodeName(names), actions: new Map(names.map((alias) => [alias, byCodeName(surface[alias]!)])) };
}

/** The part of `svc` at `value[key]`. If there is none, records why and returns null. */
export function readSvcKey(state: State, value: SvcValue, key: string | number | undefined, node: AnyNode): SvcValue | null {
  if (value.kind === 'action') return refuse(state, `${describe(value)} is not called directly`, node);
  const kind = value.kind === 'svc' ? 'integration alias' : `action of ${describe(value)}`;
  if (typeof key !== 'string') return refuse(state, `the ${kind} is computed while the code runs`, node);
  const name = value.kind === 'svc' ? state.aliases.get(key) : state.actions.get(value.alias)?.get(key);
  if (name === null) return refuse(state, `more than one ${kind} is written as "${short(key)}"`, node);
  if (name === undefined) return refuse(state, `"${short(key)}" is not a known ${kind}`, node);
  return value.kind === 'svc' ? { kind: 'alias', alias: name } : { kind: 'action', alias: value.alias, action: name };
}

/** The name of a part of `svc`, for reviewers. */
export function describe(value: SvcValue): string {
  if (value.kind === 'svc') return 'svc';
  return value.kind === 'alias' ? `svc.${value.alias}` : `svc.${value.alias}.${value.action}`;
}

function byCodeName(names: readonly string[]): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const name of names) {
    const written = name.replaceAll('-', '_');
    found.set(written, found.has(written) ? null : name);
  }
  for (const name of names) found.set(name, name);
  return found;
}

function refuse(state: State, words: string, node: AnyNode): null {
  signal(state, words, node);
  return null;
}

function short(key: string): string {
  return key.length > 64 ? `${key.slice(0, 64)}…` : key;
}
