import { type Options, Parser, type Program, type Token } from 'acorn';

/** Options to parse the body of a program. */
export const PARSE_OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowHashBang: false,
} as const satisfies Options;

/** Parses any text in linear time. Throws SyntaxError, NestedTooDeeplyError or RangeError. */
export function parseProgram(text: string, options: Options = PARSE_OPTIONS): Program {
  declarations = 0;
  return BoundedParser.parse(text, options);
}

/** Tokenizes any text in linear time. Throws SyntaxError at an invalid token. */
export function tokenizeProgram(text: string, options: Options = PARSE_OPTIONS): Iterable<Token> {
  return BoundedParser.tokenizer(text, options);
}

/** The code may be valid, but exceeds a limit of this parser. */
class NestedTooDeeplyError extends Error {}

const MAX_LABELS = 100;
const MAX_PATTERN = 4000;
const FEW = 16;
/** A `var` counts once for each block that contains it. */
const MAX_DECLARATIONS = 1_000_000;

let declarations = 0;

/** An index replaces the parser's linear search for declared names. */
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

interface Internals {
  labels: unknown[];
  scopeStack: Record<'var' | 'lexical' | 'functions', string[]>[];
  enterScope(flags: number): void;
  parseLabeledStatement(...given: unknown[]): unknown;
  validateRegExpPattern(state: { source: string }): void;
}

// Without these limits, acorn takes quadratic time: it compares each label, declared name and group
// of a regular expression with all earlier ones.
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

    /** The engine itself validates longer patterns. */
    override validateRegExpPattern(state: { source: string }): void {
      if (state.source.length <= MAX_PATTERN) super.validateRegExpPattern(state);
    }
  }
  return Bounded as unknown as typeof Parser;
});
