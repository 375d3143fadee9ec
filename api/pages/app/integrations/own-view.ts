import { getOwnIntegration } from '../../../../commands/integrations/get-own-integration.ts';
import type { CustomIntegration } from '../../../../domain/custom-integrations/custom-integration.ts';
import { DESCRIPTION_MAX_LENGTH } from '../../../../domain/limits.ts';
import type { CatalogIntegration } from '../../../../integrations/catalog.ts';
import type { ImportReport } from '../../../../integrations/custom/import-report.ts';
import { showTime } from '../../layout/show-time.ts';
import { type FormSpec, formView } from '../form.ts';
import type { Visit } from '../screen.ts';
import { KIND_NAMES, onChangeField, refreshField } from './import-form.ts';
import { INTEGRATIONS } from './integration-words.ts';
import { reportView } from './report-view.ts';

/** The data of the template `integrations/own`: source, report and settings of an integration. */
export async function ownView({ gateway, member }: Visit, entry: CatalogIntegration) {
  const { record, pendingChanges, hidesBuiltIn } = await getOwnIntegration(gateway, member.orgId, entry.name);
  const { kind, version, settings, source, head, lastError, checkedAt } = record;
  return {
    facts: [
      { name: 'Kind', text: KIND_NAMES[kind] },
      { name: 'Address', text: settings.url ?? 'A document that was sent' },
      { name: 'Calls go to', text: String(head.baseUrl) },
      { name: 'Document', text: [source.format, source.documentVersion && `version ${source.documentVersion}`].filter(Boolean).join(', ') },
      { name: 'Version here', text: `${version}. Each accepted change adds one.` },
      { name: 'Last read', text: showTime(checkedAt).words },
    ],
    ...{ pendingChanges, hidesBuiltIn, problem: lastError?.message, report: reportView(record.report as unknown as ImportReport) },
    settings: formView(settingsSpec(entry, record)),
  };
}

/**
 * The settings form of a custom integration. If a text is empty, the text of the document is used.
 */
export function settingsSpec(
  { name, displayName }: CatalogIntegration,
  { overrides, refreshEverySeconds, onChange }: CustomIntegration,
): FormSpec {
  return {
    title: `Settings of ${displayName}`,
    fields: [
      {
        ...{ name: 'displayName', label: 'Display name', kind: 'text', isOptional: true, maxLength: 100 },
        ...{ value: overrides.displayName ?? '', hint: 'Empty: as the document says.' },
      },
      {
        ...{ name: 'description', label: 'Description', kind: 'text', isOptional: true, maxLength: DESCRIPTION_MAX_LENGTH },
        ...{ value: overrides.description ?? '', hint: 'Agents read this description. Empty: as the document says.' },
      },
      refreshField(String(refreshEverySeconds)),
      onChangeField(onChange),
    ],
    button: 'Save',
    cancel: `${INTEGRATIONS}/${name}`,
  };
}
