import { isSecretName } from './is-secret-name.ts';
import { REDACTED } from './redacted.ts';
import { valueAfter } from './value-after.ts';

/**
 * Hides the values of parameters with secret names: in URLs, forms, headers, JSON, settings, YAML,
 * XML and code.
 */
export function hideParameters(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) {
    if (index < from) continue;
    const name = separator === '>' ? elementBefore(text, index) : nameBefore(text, index);
    const secretName = name?.candidates.find(isSecretName);
    if (!name || secretName === undefined) continue;
    const [start, end] = valueAfter(text, { ...name, name: secretName, separator, at: index + separator.length });
    if (start === end || saysNothing(text.slice(start, Math.min(end, start + 80)))) continue;
    shown += text.slice(from, start) + REDACTED;
    from = end;
  }
  return shown + text.slice(from);
}

const SEPARATOR = /[=:>：＝]|%3[ad]/gi;

/** Whether a value is a type, a placeholder or an expression that reads a secret from elsewhere. */
function saysNothing(value: string): boolean {
  return /^(?:\[?(?:string|number|boolean|bool|str|String|ID|Int|any|unknown|null|undefined|none|None|nil|true|false|required|optional)!?\]?[!?]?[,;:)\s]*|(?:process\.env|os\.environ|os\.getenv|import\.meta\.env)\b[\w.()[\]]*[,;)\s]*|\$?\{\{[\w. -]*\}\}|\$\{[A-Z_][A-Z0-9_]*\}|\$[A-Z_][A-Z0-9_]*)$/.test(
    value,
  );
}

interface Name {
  candidates: string[];
  /** Whether a setting or header begins the line. Its value may contain spaces. */
  opensLine: boolean;
  /** The quote that opens before the name and is open at the separator. Empty if there is none. */
  quote: string;
}

/** Characters before a separator that are searched for a name. */
const NAME_WINDOW = 96;
const NAME_CHARACTER = /[\p{L}\p{M}\p{N}\p{Cf}_.%$@[\]-]/u;

/** Candidates are the last word and the last two words (`api key: …`). */
function nameBefore(text: string, at: number): Name {
  const window = text.slice(Math.max(0, at - NAME_WINDOW), at);
  const end = skipBack(window, window.length, /["'`\\\s]/);
  const start = skipBack(window, end, NAME_CHARACTER);
  const first = window[start - 1] === ' ' ? skipBack(window, start - 1, NAME_CHARACTER) : start;
  const before = window.slice(0, first);
  const lineStart = before.lastIndexOf('\n') + 1;
  const quote = end === window.trimEnd().length ? (/["'`]$/.exec(window.slice(0, start))?.[0] ?? '') : '';
  return {
    candidates: [decode(window.slice(start, end)), ...(first < start ? [window.slice(first, end)] : [])],
    opensLine: (lineStart > 0 || at <= NAME_WINDOW) && /^(?:[\s"'-]|export )*$/.test(before.slice(lineStart)),
    quote,
  };
}

function elementBefore(text: string, at: number): Name | undefined {
  const window = text.slice(Math.max(0, at - NAME_WINDOW), at);
  const element = /^[\w:.-]+/.exec(window.slice(window.lastIndexOf('<') + 1))?.[0];
  return window.includes('<') && element ? { candidates: [element], opensLine: false, quote: '' } : undefined;
}

function skipBack(text: string, from: number, characters: RegExp): number {
  let at = from;
  while (at > 0 && characters.test(text[at - 1]!)) at -= 1;
  return at;
}

const ESCAPED_DELIMITERS = ['%23', '%26', '%2f', '%3a', '%3d', '%3f'];

/** Decodes percent escapes. An escaped URL becomes the name of its last parameter. */
function decode(name: string): string {
  if (!name.includes('%')) return name;
  const lower = name.toLowerCase();
  const last = Math.max(...ESCAPED_DELIMITERS.map((delimiter) => lower.lastIndexOf(delimiter)));
  const own = last === -1 ? name : name.slice(last + 3);
  return own.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
