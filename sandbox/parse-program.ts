import { type Options, Parser, type Program, type Token } from 'acorn';

/** How the body of a program is read. */
export const PARSE_OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowHashBang: false,
} as const satisfies Options;

/** Parses in a time that grows with the length of the text, whatever the text is. Throws SyntaxError, or NestedTooDeeplyError. */
export function parseProgram(text: string, options: Options = PARSE_OPTIONS): Program {
  declarations = 0;
  return BoundedParser.parse(text, options);
}

/** Takes a text apart in such a time. What comes may be no program, and it throws SyntaxError where something is no token. */
export function tokenizeProgram(text: string, options: Options = PARSE_OPTIONS): Iterable<Token> {
  return BoundedParser.tokenizer(text, options);
}

/** The code may be right, and is nested deeper than is read. */
class NestedTooDeeplyError extends Error {}

const MAX_LABELS = 100;
const MAX_PATTERN = 4000;
const FEW = 16;
/** A `var` counts once for each block that it stands in. */
const MAX_DECLARATIONS = 1_000_000;

/** Of the text that is being parsed. */
let declarations = 0;

/** The names declared in a scope, as the parser keeps them, found without looking at each. */
class Names extends Array<string> {
  #places: Map<string, number> | undefined;

  override push(name: string): number {
    if (++declarations > MAX_DECLARATIONS) throw new NestedTooDeeplyError();
    if (this.indexOf(name) >= 0) return this.length;
    this.#places?.set(name, this.length);
    return super.push(name);
  }

  override indexOf(name: string): number {
    if (this.length < FEW) return super.indexOf(name);
    this.#places ??= new Map(Array.from(this, (each, place) => [each, place]));
    return this.#places.get(name) ?? -1;
  }
}

/** What the parser has beside what its types tell of. */
interface Internals {
  labels: unknown[];
  scopeStack: Record<'var' | 'lexical' | 'functions', string[]>[];
  enterScope(flags: number): void;
  parseLabeledStatement(...given: unknown[]): unknown;
  validateRegExpPattern(state: { source: string }): void;
}

// Each label is compared with all around it; each name, and each group of a regular expression, with all before it.
const BoundedParser = Parser.extend((Base) => {
  class Bounded extends (Base as unknown as new (options: Options, text: string) => Internals) {
    override enterScope(flags: number): void {
      super.enterScope(flags);
      const scope = this.scopeStack.at(-1)!;
      for (const kind of ['var', 'lexical', 'functions'] as const) scope[kind] = new Names();
    }

    override parseLabeledStatement(...given: unknown[]): unknown {
      if (this.labels.length > MAX_LABELS) throw new NestedTooDeeplyError();
      return super.parseLabeledStatement(...given);
    }

    /** The engine looks at the longer ones itself. */
    override validateRegExpPattern(state: { source: string }): void {
      if (state.source.length <= MAX_PATTERN) super.validateRegExpPattern(state);
    }
  }
  return Bounded as unknown as typeof Parser;
});
