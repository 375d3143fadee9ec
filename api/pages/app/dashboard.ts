import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { countWaitingOf } from '../../../commands/approvals/waiting-of-member.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { findSignedInMember } from '../../../commands/members/member-session.ts';
import type { DashboardNews } from '../../../commands/news/dashboard-news.ts';
import type { HealthWatch } from '../../../commands/news/watch-health.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { hasRole, principalOf, type SignedInMember } from '../../../domain/member.ts';
import { assertMethod, READ_METHODS } from '../../middleware/assert-method.ts';
import { toGatewayError } from '../../middleware/render-errors.ts';
import { found, notFound } from '../../route.ts';
import { MAX_FIELDS, readFormOf } from '../layout/read-form.ts';
import { assertSameOrigin } from './assert-same-origin.ts';
import { assets } from './assets.ts';
import { streamEvents } from './events/stream-events.ts';
import { type FoundScreen, screenFinder } from './find-screen.ts';
import { signInPath } from './next-path.ts';
import { keepNotice, takeNotice } from './notice.ts';
import { forbiddenPage, problemPageOf, sendAgainPage, signInAgainPage } from './problem-pages.ts';
import { askForRecentSignIn } from './recent-sign-in.ts';
import { type Frame, renderAppPage, setAppHeaders } from './render-app-page.ts';
import type { AppPage, Done, Download, Screen, Visit, Visitor } from './screen.ts';
import { PUBLIC_SCREENS, SCREENS } from './screens.ts';
import { readSessionCookie } from './session-cookie.ts';
import { listChoosable } from './workspace-names.ts';

const PREFIX = '/app';
const EVENTS = '/events';
/** Maximum number of workspaces in the list of the banner. */
const MAX_WORKSPACES = 500;

/**
 * Maximum size of a form in bytes. The limit of each field is smaller, so a form whose text exceeds
 * its field's limit can be shown again.
 */
const FORM_MAX_BYTES = 512 * 1024;

const findPublic = screenFinder(PUBLIC_SCREENS);
const findScreen = screenFinder(SCREENS);

/** `{platform_url}/app`: the dashboard, for members of organizations (docs/add-a-screen.md). */
export function dashboard(gateway: Gateway, news: DashboardNews, health: Pick<HealthWatch, 'outage'>): Middleware {
  const root = new URL(gateway.config.platformUrl).pathname.replace(/\/$/, '') + PREFIX;
  return async (ctx, next) => {
    if (ctx.path !== PREFIX && !ctx.path.startsWith(`${PREFIX}/`)) return next();
    const path = ctx.path.slice(PREFIX.length).replace(/\/$/, '') || '/';
    setAppHeaders(ctx);
    const request: Request = {
      gateway,
      news,
      health,
      ctx,
      root,
      path,
      query: new URLSearchParams(ctx.querystring),
      form: undefined,
      frame: undefined,
    };
    try {
      const file = /^\/assets\/([^/]+)$/.exec(path)?.[1];
      if (file !== undefined || path === EVENTS) assertMethod(ctx, file === undefined ? ['GET'] : READ_METHODS);
      if (file !== undefined) (await assets()).serve(ctx, file);
      else if (path === EVENTS) await streamEvents(ctx, news, () => findMember(request));
      else await send(request, await answer(request));
    } catch (thrown) {
      await sendProblem(request, thrown);
    }
  };
}

interface Request extends Visitor {
  news: DashboardNews;
  health: Pick<HealthWatch, 'outage'>;
  path: string;
  form: URLSearchParams | undefined;
  frame: Frame | undefined;
}

type Answer = AppPage | Done | Download;

async function answer(request: Request): Promise<Answer> {
  const { ctx, path } = request;
  const form = await readPosted(request);
  request.form = form;
  const open = findPublic(path);
  if (open) return act(ctx, open.screen, request, form);

  const visit = await findVisit(request);
  if (!visit) return form ? signInAgainPage(ctx, form) : { seeOther: signInPath(path + ctx.search, request.root) };
  const found = findScreen(path);
  request.frame = await frameOf(visit, found?.screen, request.news.position(visit.member.orgId));
  if (!found || !isKnownWorkspace(request.frame)) throw notFound();
  return admit({ ...visit, params: found.params }, found, form);
}

async function admit(visit: Visit, { screen }: FoundScreen<Screen>, form: URLSearchParams | undefined): Promise<Answer> {
  if (!hasRole(visit.member.role, screen.role)) return forbiddenPage(screen.role);
  return (screen.isRecent ? askForRecentSignIn(visit, form) : undefined) ?? act(visit.ctx, screen, visit, form);
}

async function act<Who extends Visitor>(
  ctx: Context,
  { get, post }: { get?(visit: Who): Promise<Answer>; post?(visit: Who & { form: URLSearchParams }): Promise<Answer> },
  visit: Who,
  form: URLSearchParams | undefined,
): Promise<Answer> {
  if (form && form.size > MAX_FIELDS) throw new GatewayError('PAYLOAD_TOO_LARGE', `The form has more than ${MAX_FIELDS} fields.`);
  assertMethod(ctx, methodsOf({ get, post }));
  return form ? post!({ ...visit, form }) : get!(visit);
}

function methodsOf({ get, post }: { get?: unknown; post?: unknown }): string[] {
  return [...(get ? READ_METHODS : []), ...(post ? ['POST'] : [])];
}

async function readPosted(request: Request): Promise<URLSearchParams | undefined> {
  const { ctx, gateway, path } = request;
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return undefined;
  if (ctx.method !== 'POST') assertMethod(ctx, methodsOf(found((findPublic(path) ?? findScreen(path))?.screen)));
  assertSameOrigin(ctx, gateway.config);
  return readFormOf(ctx, await formLimitOf(request));
}

/** The higher limit of a screen applies only to members who may use the screen. */
async function formLimitOf(request: Request): Promise<number> {
  const screen = findScreen(request.path)?.screen;
  if (screen?.formMaxBytes === undefined) return FORM_MAX_BYTES;
  const visit = await findVisit(request);
  return visit && hasRole(visit.member.role, screen.role) ? screen.formMaxBytes : FORM_MAX_BYTES;
}

/** Whether the page sent the request by itself. A refresh does not count as use of the session. */
function isRefresh(ctx: Context): boolean {
  return ctx.get('X-Refresh') !== '';
}

/** Whether `browser/send.ts` sent the form. */
function isSentByScript(ctx: Context): boolean {
  return ctx.get('X-Sent-By') === 'script';
}

function findMember({ gateway, ctx, path }: Request): Promise<SignedInMember | undefined> {
  const isInUse = path !== EVENTS && !isRefresh(ctx);
  return findSignedInMember(gateway, readSessionCookie(ctx, gateway.config), { isInUse });
}

async function findVisit(request: Request): Promise<Visit | undefined> {
  const { gateway, ctx, query, root, health } = request;
  const member = await findMember(request);
  if (!member) return undefined;
  const workspaceId = query.get('workspace') || undefined;
  return { gateway, ctx, query, root, member, principal: principalOf(member), params: {}, workspaceId, outage: health.outage() };
}

async function frameOf(visit: Visit, screen: Screen | undefined, position: string): Promise<Frame> {
  const { gateway, member } = visit;
  const [listed, waiting] = await Promise.all([listChoosable(visit, MAX_WORKSPACES), countWaitingOf(gateway, member)]);
  return { visit, screen, ...listed, waiting, position };
}

function isKnownWorkspace({ visit: { workspaceId }, workspaces }: Frame): boolean {
  return workspaceId === undefined || workspaces.some(({ id }) => id === workspaceId);
}

async function send(request: Request, result: Answer): Promise<void> {
  const { ctx, gateway, root, frame } = request;
  if ('seeOther' in result) {
    if (result.done !== undefined) keepNotice(ctx, gateway, result.done);
    return goTo(ctx, root + (result.seeOther === '/' ? '' : result.seeOther));
  }
  if ('template' in result) {
    if (result.refreshTo !== undefined && isSentByScript(ctx)) return goTo(ctx, result.refreshTo);
    return renderAppPage(ctx, root, result, frame, noticeFor(request));
  }
  ctx.attachment(result.fileName);
  ctx.type = result.type;
  // After an error a file is cut off, but its headers are sent already. Closing the connection
  // tells the browser that the file is incomplete.
  ctx.body = Readable.from(result.content).once('error', () => ctx.res.destroy());
}

/**
 * A script gets 204 with `Location`, because `fetch` would follow a 303. That request would use up
 * the notice for the next page.
 */
function goTo(ctx: Context, url: string): void {
  ctx.status = isSentByScript(ctx) ? 204 : 303;
  ctx.set('Location', url);
  ctx.body = '';
}

async function sendProblem(request: Request, thrown: unknown): Promise<void> {
  const { ctx, gateway, root, form, frame } = request;
  const error = toGatewayError(thrown);
  if (error.code === 'INTERNAL_ERROR') gateway.logger.error({ requestId: ctx.state.requestId, err: thrown }, 'page failed');
  if (error.code === 'UNAVAILABLE') ctx.set('Retry-After', '1');
  // `browser/send.ts` keeps the form on the page. Without this script, the answer contains the
  // typed values.
  const isToKeep = error.code === 'UNAVAILABLE' && form !== undefined && !isSentByScript(ctx);
  const page = isToKeep ? sendAgainPage(ctx, form, error) : problemPageOf(error, ctx.state.requestId);
  await renderAppPage(ctx, root, page, frame, noticeFor(request));
}

/** An answer to a form or to a refresh shows no notice. The notice stays for the next page. */
function noticeFor({ ctx, gateway, form }: Request): string | undefined {
  return form === undefined && !isRefresh(ctx) ? takeNotice(ctx, gateway) : undefined;
}
