import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CustomIntegration } from '../../../../domain/custom-integrations/custom-integration.ts';
import { refreshBody } from '../../../v1/integrations/import-schema.ts';
import type { FormSpec } from '../form.ts';
import { DOCUMENT_FIELD, TOKEN_FIELD } from './import-form.ts';
import { HEADERS_FIELD, headers } from './import-more.ts';
import { INTEGRATIONS } from './integration-words.ts';
import { type Select, selectFields, selectOf, selectShape } from './select-fields.ts';

/** The form "Read it again", filled in with the current selection of actions. */
export function refreshSpec({ name, settings, kind }: CustomIntegration): FormSpec {
  const { url } = settings;
  const select = selectFields(settings.select);
  const document = { ...DOCUMENT_FIELD, isOptional: url !== null };
  return {
    title: `Read ${name} again`,
    intro: url === null ? 'Paste the new document.' : `We read ${url}. Differences become changes that wait for a decision.`,
    fields: [
      ...(kind === 'mcp' ? [] : [document, ...select.lists]),
      ...(url === null ? [] : [TOKEN_FIELD]),
      ...select.more,
      ...(url === null ? [] : [HEADERS_FIELD]),
    ],
    button: 'Read it again',
    cancel: `${INTEGRATIONS}/${name}`,
    blames: { DOCUMENT_TOO_LARGE: { field: 'document', problem: 'has more than 32 MiB' } },
  };
}

/**
 * Converts the fields of "Read it again" to the request body of the API. The body contains `select`
 * only if the member edited the selection.
 */
export function refreshForm({ settings }: CustomIntegration) {
  const { operations: _, tags: __, paths: ___, exclude: ____, ...others }: Select = settings.select ?? {};
  return z
    .strictObject({ document: z.string().optional(), token: z.string().optional(), headers: headers.optional(), ...selectShape })
    .transform(({ document, token, headers: sent, ...fields }) => {
      const select = { ...others, ...selectOf(fields) };
      return {
        ...(document !== undefined && { document }),
        ...(token !== undefined && { fetchAuth: { type: 'bearer' as const, token } }),
        ...(sent && { headers: sent }),
        ...(!isDeepStrictEqual(select, settings.select ?? {}) && { select }),
      } as z.input<typeof refreshBody>;
    })
    .pipe(refreshBody.unwrap());
}
