import { PassThrough } from 'node:stream';
import type { Context } from 'koa';
import type { DashboardNews } from '../../../../commands/news/dashboard-news.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { MEMBER_SESSION, type SignedInMember } from '../../../../domain/member.ts';

/**
 * Interval of keep-alive messages in ms, because proxies end connections that are idle for a
 * minute.
 */
const HEARTBEAT_MS = 15_000;
/** Maximum number of open streams of a member. Each visible tab in each browser has one. */
const MAX_STREAMS = 20;
/**
 * Maximum number of unsent bytes of a stream. A browser that reads too slowly is disconnected, and
 * reloads everything after it reconnects.
 */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Delay before browsers reconnect, in ms. Random, so that they do not all reconnect together. */
const RECONNECT_MS = { min: 500, spread: 1000 };

/**
 * `GET /app/events`: notifies an open page of changes. A message is `<topic>/<id>`, `all` if the
 * page may have missed changes, or `none` if the page missed nothing. Without a session, the answer
 * is 204, which stops browsers from reconnecting.
 */
export async function streamEvents(ctx: Context, news: DashboardNews, find: () => Promise<SignedInMember | undefined>): Promise<void> {
  const member = await find();
  if (!member) {
    ctx.status = 204;
    return;
  }
  const { orgId, id: userId, sessionId } = member;
  if (news.countOf({ orgId, userId }) >= MAX_STREAMS) {
    throw new GatewayError('RATE_LIMITED', `A member can have at most ${MAX_STREAMS} live pages.`);
  }
  const stream = new PassThrough();
  const send = (text: string) => {
    if (stream.writable) stream.write(text);
    if (stream.readableLength + ctx.res.writableLength > MAX_UNREAD_BYTES) end();
  };
  const end = () => void stream.end();
  const tell = (what: string, position: string) => send(`id: ${position}\ndata: ${what}\n\n`);
  const unfollow = await news.follow({ orgId, userId, sessionId, tell, end });
  const heartbeat = setInterval(() => send(':\n\n'), HEARTBEAT_MS);
  const over = setTimeout(end, streamMs(member));
  stream.once('close', () => {
    unfollow();
    clearInterval(heartbeat);
    clearTimeout(over);
  });
  ctx.res.once('close', () => stream.destroy());
  if (ctx.res.destroyed) stream.destroy();

  ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
  ctx.body = stream;
  send(`retry: ${Math.round(RECONNECT_MS.min + Math.random() * RECONNECT_MS.spread)}\n`);
  const position = news.position(orgId);
  const seen = ctx.get('Last-Event-ID') || new URLSearchParams(ctx.querystring).get('after');
  tell(seen === position ? 'none' : 'all', position);
  // If the session ended before `follow`, no notification of its end comes: check once more.
  if (!(await find())) end();
}

/** Duration of a stream in ms. The session ends after this time if it is not used. */
function streamMs({ sessionAgeSeconds }: SignedInMember): number {
  return 1000 * Math.max(0, Math.min(MEMBER_SESSION.idleSeconds, MEMBER_SESSION.maxSeconds - sessionAgeSeconds));
}
