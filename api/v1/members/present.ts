import type { Member } from '../../../domain/member.ts';

export function presentMember({ id, displayName, email, role, joinedAt, createdAt }: Member) {
  return { id, name: displayName, email, role, joinedAt: joinedAt?.toISOString() ?? null, createdAt: createdAt.toISOString() };
}
