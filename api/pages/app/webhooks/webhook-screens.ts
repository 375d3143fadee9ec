import { getApprovalPolicy } from '../../../../commands/policies/get-policy.ts';
import { resendFailedDeliveries } from '../../../../commands/webhooks/resend-failed-deliveries.ts';
import { rotateWebhookSecret } from '../../../../commands/webhooks/rotate-webhook-secret.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findNamedEndpoint, type ListedEndpoint, listOrgWebhookEndpoints } from '../../../../store/webhook-list.ts';
import { found } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { showTime } from '../../layout/show-time.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { isDay, startOfDay } from '../days.ts';
import { type Cell, listView } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { secretPage } from '../secret-page.ts';
import { deliveryList } from './delivery-list.ts';
import { shownAddress } from './shown-address.ts';

const BASE = '/webhooks';
const MAX_ENDPOINTS = 200;

/** Screens for webhook endpoints and their deliveries (docs/webhooks.md). */
export const webhookScreens: readonly Screen[] = [
  { ...{ path: BASE, role: 'viewer', navigation: 'Webhooks' }, get: (visit) => webhooksPage(visit) },
  {
    ...{ path: `${BASE}/send-failed`, role: 'member', navigation: 'Webhooks' },
    post: async (visit) => {
      const since = visit.form.get('since') ?? '';
      if (!isDay(since)) return webhooksPage(visit, { since, problem: 'needs a day, such as 2026-11-23' });
      const { workspaceId } = visit;
      const { count, isAll } = await resendFailedDeliveries(visit.gateway, visit.principal, { since: startOfDay(since), workspaceId });
      return { seeOther: BASE, done: sentSentence(count, isAll) };
    },
  },
  {
    ...{ path: `${BASE}/endpoints/{id}/rotate`, role: 'admin', navigation: 'Webhooks' },
    get: async (visit) => rotationPage(visit, await findEndpoint(visit)),
    post: async (visit) => {
      const { policyId, url } = await findEndpoint(visit);
      const policy = await getApprovalPolicy(visit.gateway, visit.principal, policyId);
      const value = await rotateWebhookSecret(visit.gateway, visit.principal, policy, url);
      const about = `This is the new signing secret of ${url}. You see it only now. For 24 hours, the old secret also signs.`;
      const secret = { about, label: 'Signing secret', value };
      return secretPage('Rotate secret', secret, { href: BASE, label: 'Back to webhooks' }, 'The secret is rotated.');
    },
  },
];

interface Refused {
  since: string;
  problem: string;
}

async function webhooksPage(visit: Visit, refused?: Refused): Promise<AppPage> {
  const { gateway, member, workspaceId } = visit;
  const [endpoints, deliveries] = await Promise.all([
    listOrgWebhookEndpoints(gateway.db, { orgId: member.orgId, workspaceId }, MAX_ENDPOINTS),
    deliveryList(visit),
  ]);
  return {
    status: refused ? 400 : 200,
    title: 'Webhooks',
    template: 'webhooks/webhooks',
    data: {
      endpoints: endpointList(visit, endpoints),
      isCut: endpoints.length === MAX_ENDPOINTS,
      deliveries,
      maySend: visit.principal.mayDecide,
      since: refused?.since ?? new Date().toISOString().slice(0, 10),
      problem: refused?.problem,
    },
  };
}

function endpointList(visit: Visit, endpoints: readonly ListedEndpoint[]) {
  const mayRotate = hasRole(visit.member.role, 'admin');
  return listView(visit, {
    ...{ name: 'Endpoints', plural: 'endpoints', about: 'Each webhook among the approvers of a policy is an endpoint.' },
    columns: ['URL', 'Policy', 'State', 'Last 7 days', ...(mayRotate ? ['Actions'] : [])],
    rows: endpoints.map((endpoint): Cell[] => {
      const { id, policyId, policyName, recent, recentFailed, isPart } = endpoint;
      const url = shownAddress(visit, endpoint.url);
      const failed = recentFailed === 0 ? '' : `${recentFailed} failed`;
      const sent = isPart ? `at least ${recent}` : String(recent);
      const buttons = [{ label: 'Rotate secret', about: `Of ${url}`, href: `${BASE}/endpoints/${id}/rotate` }];
      return [
        { text: url, hint: secretHint(endpoint) },
        { href: `/policies/${policyId}`, text: policyName },
        stateOf(endpoint),
        failed === '' ? sent : { text: sent, hint: failed },
        ...(mayRotate ? [{ buttons }] : []),
      ];
    }),
    create: mayRotate ? { href: '/policies/new', label: 'New policy' } : undefined,
  });
}

function secretHint({ formerSignsUntil }: ListedEndpoint): string {
  return formerSignsUntil ? `The old secret also signs until ${showTime(formerSignsUntil).words}.` : '';
}

function stateOf({ goneAt, isPolicyEnabled }: ListedEndpoint): Cell {
  if (goneAt) return { state: 'Stopped: it answered 410', tone: 'bad' };
  return isPolicyEnabled ? { state: 'On', tone: 'good' } : { state: 'Policy is off', tone: 'quiet' };
}

async function findEndpoint({ gateway, member, params }: Visit) {
  const id = uuid.safeParse(params.id);
  return found(id.success ? await findNamedEndpoint(gateway.db, member.orgId, id.data) : undefined);
}

async function rotationPage(visit: Visit, { url }: { url: string }): Promise<AppPage> {
  return confirmPage({
    question: `Rotate the secret of ${url}?`,
    consequences: [
      'From now on the new secret signs deliveries. For 24 hours, the old secret also signs them.',
      'Give your receiver the new secret within 24 hours. Later, a receiver with the old secret refuses deliveries.',
      'A secret that was replaced less than 24 hours ago stops working now.',
      ...(await consequencesOf(visit, 'webhook', visit.params.id!)),
    ],
    ...{ button: 'Rotate secret', back: BASE },
  });
}

function sentSentence(count: number, isAll: boolean): string {
  if (count === 0) return 'Nothing failed since then, so nothing is sent again.';
  const sent = count === 1 ? '1 delivery is sent again.' : `${count} deliveries are sent again.`;
  return isAll ? sent : `${sent} More failed: send again for the rest.`;
}
