import type { ImportReport } from '../../../../integrations/custom/import-report.ts';

const SHOWN = 200;

const REASONS: Record<ImportReport['leftOut'][number]['reason'], string> = {
  not_selected: 'Not selected',
  remote_reference: 'Refers to another document',
  broken_reference: 'Refers to something that is missing',
  unsupported_media_type: 'Media type that we can’t send',
  unsupported_security: 'Sign-in that we can’t do',
  foreign_server: 'On another host',
  address_not_allowed: 'Address that may not be called',
  unsafe_path: 'Path that is not safe',
  invalid_operation: 'Not valid',
  too_large: 'Too large',
};

/** The data of the template `integrations/report`: an import report in words. */
export function reportView(
  report: Pick<ImportReport, 'operations' | 'imported' | 'typed' | 'leftOut' | 'leftOutCount' | 'notes' | 'noteCount'>,
) {
  const { operations, imported, typed, leftOut, leftOutCount, notes, noteCount } = report;
  return {
    sentence: `${imported.toLocaleString('en')} of ${operations.toLocaleString('en')} became actions. ${typed.toLocaleString('en')} of them have types for all their inputs and outputs.`,
    leftOut: leftOut.slice(0, SHOWN).map(({ operation, reason, message }) => ({ operation, why: REASONS[reason], message })),
    leftOutCount,
    notes: notes.slice(0, SHOWN).map(({ operation, message }) => ({ operation, why: message })),
    noteCount,
  };
}
