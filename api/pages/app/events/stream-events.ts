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
/** Open pages of one member: visible tabs, in all browsers. */
const MAX_STREAMS = 20;
/**
 * Maximum of unsent bytes. A browser that reads too slowly is disconnected. It reconnects, and then
 * reloads everything.
 */
const MAX_UNREAD_BYTES = 64 * 1024;
/** Random extra delay, so that browsers do not all reconnect at the same time. */
const RECONNECT_MS = { min: 500, spread: 1000 };

/**
 * `GET /app/events`: notifies an open page of changes, as `<topic>/<id>`, or `all` if it may have
 * missed some. The page then loads what it shows, with the rights of the viewer. Ends with the
 * session. 204 without a session, which stops browsers from reconnecting. Throws RATE_LIMITED
 * beyond 20 streams of a member. `find` looks the member's session up, by a query.
 */
export async function streamEvents(ctx: Context, news: DashboardNews, find: () => Promise<SignedInMember | undefined>): Promise<void> {
  const member = await find();
  if (!member) {
    ctx.status = 204;
    return;
  }
  const { orgId, id: userId, sessionId } = member;
  if (news.countOf({ orgId, userId }) >= MAX_STREAMS) {
    throw new GatewayError('RATE_LIMITED', `At most ${MAX_STREAMS} pages of a member are live.`);
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
  // Koa destroys the stream only with its connection, or once it was read.
  ctx.res.once('close', () => stream.destroy());
  if (ctx.res.destroyed) stream.destroy();

  ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
  ctx.body = stream;
  send(`retry: ${Math.round(RECONNECT_MS.min + Math.random() * RECONNECT_MS.spread)}\n`);
  const position = news.position(orgId);
  const seen = ctx.get('Last-Event-ID') || new URLSearchParams(ctx.querystring).get('after');
  tell(seen === position ? 'none' : 'all', position);
  // No notification came if the session ended before the page was subscribed.
  if (!(await find())) end();
}

/** A stream is no use of the session, so it ends when the unused session would end. */
function streamMs({ sessionAgeSeconds }: SignedInMember): number {
  return 1000 * Math.max(0, Math.min(MEMBER_SESSION.idleSeconds, MEMBER_SESSION.maxSeconds - sessionAgeSeconds));
}
