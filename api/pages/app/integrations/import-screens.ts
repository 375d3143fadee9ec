import type { z } from 'zod';
import { importIntegration } from '../../../../commands/integrations/import-integration.ts';
import { actorOf, assertOrgWide } from '../../../../domain/principal.ts';
import type { ImportInput } from '../../../../integrations/custom/importer.ts';
import { formPage, submitForm } from '../form.ts';
import type { Screen, Visit } from '../screen.ts';
import { DOCUMENT_FORM_MAX_BYTES, importForm, importSpec } from './import-form.ts';
import { accountOf, INTEGRATIONS } from './integration-words.ts';
import { reportView } from './report-view.ts';

/** Screens that import an integration. A preview stores nothing. */
export const importScreens: readonly Screen[] = [
  {
    ...{ path: `${INTEGRATIONS}/import`, role: 'admin', navigation: 'Integrations', formMaxBytes: DOCUMENT_FORM_MAX_BYTES },
    get: async () => formPage(importSpec()),
    post: async (visit) =>
      submitForm(importSpec(), importForm, visit.form, async (body) => {
        const { entry, report } = await importFrom(visit, body);
        const leftOut = report.leftOutCount > 0 ? ` ${report.leftOutCount} operations were left out; the page says why.` : '';
        return { seeOther: `${INTEGRATIONS}/${entry.name}`, done: `${report.imported} actions are imported.${leftOut}` };
      }),
  },
  {
    ...{ path: `${INTEGRATIONS}/import/preview`, role: 'admin', navigation: 'Integrations', formMaxBytes: DOCUMENT_FORM_MAX_BYTES },
    get: async () => ({ seeOther: `${INTEGRATIONS}/import` }),
    post: async (visit) =>
      submitForm(importSpec(), importForm, visit.form, async (body) => {
        const { entry, record, report } = await importFrom(visit, { ...body, preview: true });
        const preview = { report: reportView(report), baseUrl: String(record.head.baseUrl), account: accountOf(entry) };
        return formPage({ ...importSpec(), data: { preview } }, visit.form);
      }),
  },
];

function importFrom({ gateway, principal }: Visit, { auth, ...request }: z.output<typeof importForm>) {
  assertOrgWide(principal);
  const given = auth !== undefined && { auth: auth as ImportInput['auth'] };
  return importIntegration(gateway, { ...request, ...given, orgId: principal.orgId, by: actorOf(principal) });
}
