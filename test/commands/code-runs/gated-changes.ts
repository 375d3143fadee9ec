import { replaceCredentials } from '../../../commands/connections/replace-credentials.ts';
import { createPartial } from '../../../commands/partials/create-partial.ts';
import { changeSurface } from '../../../commands/surfaces/change-surface.ts';
import { removeWorkspaceIntegration } from '../../../commands/workspace-integrations/remove-workspace-integration.ts';
import { updateWorkspaceIntegration } from '../../../commands/workspace-integrations/update-workspace-integration.ts';
import type { CodeRun } from '../../../domain/code-run.ts';
import { raisePoliciesVersion } from '../../../store/orgs.ts';
import { encodePayload } from '../../../store/payload.ts';
import type { Change, GatedCase } from './gated-programs.ts';
import { enforce, type GatedWorld, type Place } from './gated-world.ts';

const BY = { type: 'system', id: null } as const;

/** Makes the change of this case. */
export async function makeChange({ gateway }: GatedWorld, place: Place, run: CodeRun, { change, world }: GatedCase): Promise<void> {
  const { db } = gateway;
  const { orgId, workspaceId, serverId, bank, spare, books } = place;
  const instance = (id: string) => ({ orgId, workspaceId, id });
  const everything = { priority: 1, actionNames: ['pay', 'send'], integrationAliases: [], amountFrom: null };
  const makes: Record<Change, () => unknown> = {
    none: () => {},
    race: () => {},
    world: () => {
      books.answer = world[1];
    },
    code: () =>
      db('code_runs')
        .where({ id: run.id })
        .update({
          code: encodePayload(`await svc.bank.pay({ tag: '${run.code.match(/p\d+/)![0]}', to: 'thief', amount: 20 });\n${run.code}`),
        }),
    default: () =>
      changeSurface(db, workspaceId, (tx) =>
        tx('mcp_tools')
          .where({ server_id: serverId, action_name: 'pay' })
          .update({ input_defaults: JSON.stringify({ note: 'changed' }) }),
      ),
    enforced: () =>
      createPartial(gateway, BY, {
        ...{ orgId, workspaceId, integrationName: 'bank', actionName: 'pay', triggerName: null, name: 'Enforced', description: null },
        ...{ values: { note: 'enforced' }, enforcedKeys: ['note'], isDefault: true },
      } as never),
    settings: () =>
      changeSurface(db, workspaceId, (tx) =>
        tx('workspace_integrations')
          .where({ id: bank.id })
          .update({ settings: JSON.stringify({ persistence: { scope: 'workspace' } }) }),
      ),
    account: () => updateWorkspaceIntegration(gateway, BY, instance(bank.id), { connectionId: spare.connectionId }),
    reconnect: () =>
      replaceCredentials(gateway, {
        by: BY,
        orgId,
        id: bank.connectionId,
        credentials: { type: 'SECRET_TEXT', secretText: 'first again' } as never,
      }),
    'alias removed': () => removeWorkspaceIntegration(gateway, BY, instance(bank.id)),
    'alias taken': async () => {
      await updateWorkspaceIntegration(gateway, BY, instance(bank.id), { alias: 'old-bank' });
      await updateWorkspaceIntegration(gateway, BY, instance(spare.id), { alias: 'bank' });
    },
    'action disabled': () => updateWorkspaceIntegration(gateway, BY, instance(bank.id), { enabledActions: ['read', 'send'] }),
    'asks another': () => enforce(gateway, place, { ...everything, decision: 'require_approval' }, 'Another'),
    blocks: () => enforce(gateway, place, { ...everything, decision: 'block' }, 'Nobody may'),
    'policy gone': async () => {
      const [gone] = books.policies.splice(0, 1);
      await db('approval_policies').where({ id: gone!.id }).delete();
      await raisePoliciesVersion(db, orgId);
    },
  };
  await makes[change]();
}

/**
 * Whether the change invalidates earlier approvals of this call. `isOwn`: the approval is for this
 * call alone, and not for a plan.
 */
export function isStale(change: Change, call: { alias: string; action: string }, isOwn: boolean): boolean {
  switch (change) {
    case 'code':
      return true;
    case 'default':
    case 'enforced':
      return call.action === 'pay';
    case 'settings':
      return call.alias === 'bank' && !isOwn;
    case 'account':
    case 'reconnect':
    case 'alias taken':
    case 'alias removed':
      return call.alias === 'bank';
    default:
      return false;
  }
}
