import type { OpenedLink } from '../../../commands/approvals/open-approval-link.ts';
import type { ActorType } from '../../../domain/approval.ts';
import { actorOfPerson } from '../../../domain/person.ts';

/** Who decided, in words. Only members of the organization see the name of another person. */
export function describeDecider({ approval, viewer, deciderName }: Pick<OpenedLink, 'approval' | 'viewer' | 'deciderName'>): string {
  const { decidedByType: type, decidedById: id } = approval;
  const own = viewer && actorOfPerson(viewer);
  if (own && own.type === type && own.id === id) return 'You';
  if (viewer?.type === 'user' && deciderName !== null) return deciderName;
  return type === null ? 'Nobody' : DECIDERS[type];
}

const DECIDERS: Record<ActorType, string> = {
  hosted_link: 'A reviewer, on this page',
  api_key: 'A reviewer, through the API',
  mcp_token: 'The agent that asked',
  user: 'A member of the organization',
  end_user: 'The end user',
  operator: 'An operator',
  policy: 'The policy itself',
  timeout: 'Nobody: the time ran out',
  system: 'The service',
};
