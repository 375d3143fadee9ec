import { randomUUID } from 'node:crypto';
import { lazy } from '../../domain/lazy.ts';
import { DASHBOARD_NEWS } from '../../store/dashboard-news.ts';
import type { Gateway } from '../gateway.ts';

interface Follower {
  orgId: string;
  userId: string;
  sessionId: string;
  /** Called with `<topic>/<id>` of each change, and the position after the change. */
  tell(news: string, position: string): void;
  /**
   * Called if the session has ended, a notification may have been missed, or the process stops. The
   * page must then reload.
   */
  end(): void;
}

/** Notifies open pages of changes in organizations. Queries nothing. */
export interface DashboardNews {
  /**
   * The position of an organization's news. A page with the current position has missed nothing.
   */
  position(orgId: string): string;
  /** Resolves when no later news can be missed, with a function that ends the subscription. */
  follow(follower: Follower): Promise<() => void>;
  /** Notifies the followers of all organizations of a change of the service itself. */
  notifyAll(news: string): void;
  isFollowed(): boolean;
  /** The number of pages of a member that follow or begin to follow. */
  countOf(member: Pick<Follower, 'orgId' | 'userId'>): number;
  close(): void;
}

/** Opens the news of one process. Listens to Postgres from the first follower on. */
export function openDashboardNews({ notices }: Pick<Gateway, 'notices'>): DashboardNews {
  const followers = new Set<Follower>();
  const arriving = new Set<Follower>();
  const counts = new Map<string, number>();
  let epoch = 'none';
  /** Changes of the service itself, which count for all organizations. */
  let general = 0;

  let listening = Promise.withResolvers<void>();

  const endAll = () => {
    for (const follower of followers) follower.end();
  };
  const restart = () => {
    epoch = randomUUID().slice(0, 8);
    counts.clear();
    endAll();
    listening.resolve();
    // Pages must not be shown as live while the connection is lost.
    notices.unlessLost(new Promise<never>(() => {})).catch(() => {
      listening = Promise.withResolvers();
      endAll();
    });
  };
  const position = (orgId: string) => `${epoch}.${(counts.get(orgId) ?? 0) + general}`;
  const announce = (payload: string) => {
    const [orgId = '', topic = '', id = ''] = payload.split('/');
    const concerned = [...followers].filter((follower) => follower.orgId === orgId);
    if (topic === 'sessions') {
      for (const follower of concerned) if (follower.sessionId === id) follower.end();
      return;
    }
    counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
    for (const follower of concerned) follower.tell(`${topic}/${id}`, position(orgId));
  };
  const listen = lazy(async () => notices.subscribe(DASHBOARD_NEWS, (payload) => (payload === undefined ? restart() : announce(payload))));

  return {
    position,
    async follow(follower) {
      arriving.add(follower);
      try {
        await listen();
        await listening.promise;
      } finally {
        arriving.delete(follower);
      }
      followers.add(follower);
      return () => followers.delete(follower);
    },
    notifyAll(news) {
      general += 1;
      for (const follower of followers) follower.tell(news, position(follower.orgId));
    },
    isFollowed: () => followers.size > 0,
    countOf: ({ orgId, userId }) => [...followers, ...arriving].filter((one) => one.orgId === orgId && one.userId === userId).length,
    close: endAll,
  };
}
