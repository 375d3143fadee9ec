import type { ListedActivity } from '../../../store/activity-list.ts';

export function presentActivity({ details, ...activity }: ListedActivity) {
  return { ...activity, details: JSON.parse(details) as Record<string, unknown> };
}
