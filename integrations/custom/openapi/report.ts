import { GatewayError } from '../../../domain/errors.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { ImportNote, ImportReport } from '../import-report.ts';
import type { PackedIntegration } from '../pack-integration.ts';
import type { LeftOutError } from './left-out.ts';
import type { ReadOperation } from './read-operation.ts';
import { cutText } from './texts.ts';

const MAX_LISTED = 500;

/** Collects which operations of a document are imported or left out. */
export class Report {
  readonly #operations: number;
  readonly #leftOut: ImportReport['leftOut'][number][] = [];
  #leftOutCount = 0;

  constructor(operations: number) {
    this.#operations = operations;
  }

  leaveOut(operation: string, { reason, message }: Pick<LeftOutError, 'reason' | 'message'>): void {
    this.#leftOutCount += 1;
    if (this.#leftOut.length < MAX_LISTED)
      this.#leftOut.push({ operation: cutText(operation, 500), reason, message: cutText(message, 500) });
  }

  /** Returns the error for a document from which nothing can be imported. */
  nothing(selected: number): GatewayError {
    const message =
      selected === 0 ? 'The selection names no operation of the document.' : 'None of the selected operations can be imported.';
    const listed = this.#leftOut.filter(({ reason }) => reason !== 'not_selected').slice(0, 20);
    return new GatewayError('NOTHING_TO_IMPORT', this.#operations === 0 ? 'The document has no operations.' : message, { leftOut: listed });
  }

  /** Must be called after packing: schemas that packing has cut count as untyped. */
  finish(read: readonly ReadOperation[], { actions }: PackedIntegration, notes: readonly ImportNote[]): ImportReport {
    const uses = new Map(actions.map((action) => [action.name, action.uses]));
    const typed = read.filter(({ action, isTyped }) => {
      const { input = {}, output = {} } = uses.get(action.name) ?? {};
      const properties = isObject(action.input?.properties) ? Object.values(action.input.properties) : [];
      return isTyped && !properties.some((property) => isCut(property, input)) && !isCut(action.output, output);
    });
    return {
      ...{ operations: this.#operations, imported: read.length, typed: typed.length },
      ...{ leftOut: this.#leftOut, leftOutCount: this.#leftOutCount },
      ...{ notes: notes.slice(0, MAX_LISTED), noteCount: notes.length },
    };
  }
}

function isCut(schema: unknown, uses: Readonly<Record<string, string | null>>): boolean {
  if (!isObject(schema) || typeof schema.$ref !== 'string') return false;
  const name = schema.$ref.slice('#/$defs/'.length);
  return Object.hasOwn(uses, name) && uses[name] === null;
}
