import type { CustomChange, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Db, inSnapshot } from '../../infra/database.ts';
import { type ChangeContent, type ChangeSide, differingDefinitions } from '../../integrations/custom/changes/change-content.ts';
import type { IntegrationHead, PackedAction } from '../../integrations/custom/pack-integration.ts';
import { findCustomAction, listCustomDefinitions } from '../../store/custom-actions.ts';
import { findChange, type StoredChange } from '../../store/custom-changes.ts';
import { findCustomIntegration } from '../../store/custom-integrations.ts';
import type { PageRequest } from '../../store/page.ts';
import type { Gateway } from '../gateway.ts';
import { compareContent } from './compare-content.ts';
import { sideOf } from './find-changes.ts';
import { type HeadPart, partOf } from './head-parts.ts';
import { inheritedUrl, shownFields } from './shown-change.ts';

/** A change with one page of its fields. */
export interface ChangeView {
  change: CustomChange;
  record: CustomIntegration;
  /** JSON of the fields of the page. Values are complete only for a pending change. */
  fields: string;
  total: number;
}

interface Own {
  orgId: string;
  name: string;
  customId: string;
}

/**
 * A change of a custom integration with a page of its fields. For a decided change, only the
 * summary is stored. Throws CHANGE_NOT_FOUND.
 */
export async function getChange(gateway: Gateway, own: Own, id: string, page: PageRequest): Promise<ChangeView> {
  const read = await inSnapshot(gateway.db, (tx) => readContent(tx, own, id));
  if (!read) throw new GatewayError('CHANGE_NOT_FOUND', 'The integration has no such change.');
  const { change, record, content, definitions } = read;
  if (!content) {
    const { fields, fieldCount } = shownFields(change, record.head);
    return { change, record, fields: JSON.stringify(fields.slice(page.offset, page.offset + page.limit)), total: fieldCount };
  }
  const { text, total } = await compareContent(gateway, own.orgId, {
    ...{ kind: 'page', change: content, definitions, offset: page.offset, limit: page.limit },
    inheritedUrl: inheritedUrl(change, record.head),
  });
  return { change, record, fields: text, total };
}

interface Read {
  change: StoredChange;
  record: CustomIntegration;
  /** Undefined for a decided change. */
  content: ChangeContent | undefined;
  definitions: ReadonlyMap<string, string>;
}

async function readContent(tx: Db, { orgId, name, customId }: Own, id: string): Promise<Read | undefined> {
  const record = await findCustomIntegration(tx, orgId, name);
  const change = await findChange(tx, customId, id);
  if (record?.id !== customId || !change) return undefined;
  if (change.status !== 'pending') return { change, record, content: undefined, definitions: new Map() };
  const { kind, actionName } = change;
  const content = { kind, actionName, ...(await sidesOf(tx, record, change)) };
  return { change, record, content, definitions: await listCustomDefinitions(tx, record.id, differingDefinitions(content)) };
}

async function sidesOf(tx: Db, record: CustomIntegration, { kind, actionName, after }: StoredChange) {
  if (actionName === null) {
    const head = record.head as unknown as IntegrationHead;
    return { before: textSide(partOf(head, kind as HeadPart)), after: textSide(after!) };
  }
  const before = (await findCustomAction(tx, record.id, actionName)) as PackedAction | undefined;
  return { before: sideOf(before), after: sideOf((after as unknown as PackedAction | null) ?? undefined) };
}

function textSide(part: object): ChangeSide {
  return { text: JSON.stringify(part) };
}
