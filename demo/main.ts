import { readConfig, SetupError } from '../infra/config.ts';
import { readAddresses } from '../standalone/addresses.ts';
import { readArguments } from './arguments.ts';
import { connectAgent } from './connect-agent.ts';
import { describeReceipt, howToVerify } from './describe-receipt.ts';
import { type GatewayApi, openGatewayApi } from './gateway-api.ts';
import { openPartner } from './partner.ts';
import { prepare } from './prepare.ts';
import { PROGRAM } from './program.ts';

const OWN_RECEIVER = `To let the demo's own receiver on this machine get the report, stop the service and start it with
  OUTBOUND_ALLOW_HTTP=1 OUTBOUND_ALLOW_CIDRS=127.0.0.0/8 npm start`;

/** npm run demo. Returns the exit code: 1 if the run failed. */
async function main(): Promise<number> {
  const args = readArguments(process.argv.slice(2));
  const config = readConfig();
  const addresses = readAddresses(config.dataDir);
  const url = args.url ?? addresses?.apiUrl ?? config.baseUrl;
  const api = await openGatewayApi({ url, key: args.key, config, say });
  const partner = await openPartner();
  try {
    say('Creating a workspace, integrations, an MCP server in each mode and a policy that gates sending');
    const scene = await prepare(api, partner.url);
    const isOurs = scene.target === partner.url;
    if (!isOurs) say(`The service may not call this machine, so the report goes to ${scene.target}. ${OWN_RECEIVER}`);

    const tools = connectAgent(scene.toolsServer, url, say);
    say(`An agent on the TOOLS server sees ${await tools.countTools()} tools and calls one:`);
    show(await tools.call('datetime__format_date', { date: new Date().toISOString(), format: 'long' }));

    const agent = connectAgent(scene.codeServer, url, say);
    say('An agent on the CODE server runs a program:');
    console.log(PROGRAM(scene.target).replace(/^/gm, '    '));
    const paused = await agent.call('svc_execute', { code: PROGRAM(scene.target) });
    if (paused.status !== 'approval_required') throw new Error(`the run did not pause: ${JSON.stringify(paused)}`);
    const approvalId: string = paused.approval.id;
    say('The run is paused at the gate. Nothing has been sent.');
    say(`Approval page   ${paused.approval.hostedApprovalUrl}`);
    if (addresses?.temporalUi)
      say(`Temporal UI     ${await workflowPage(api, approvalId, addresses.temporalUi, config.temporal.namespace)}`);

    if (args.decide) {
      say(`Deciding through the API: ${args.decide}`);
      await decide(api, approvalId, args.decide);
    } else {
      say('Open the approval page and decide; the agent waits …');
    }

    const goOn = () => agent.call('svc_execute', { approvalId, waitForApprovalSeconds: 60 });
    let ended = await goOn();
    while (ended.status === 'approval_pending') ended = await goOn();

    say(`The run ended: ${ended.status}`);
    show(ended.status === 'executed' ? ended.output : ended.error);
    const { approval } = await api.get(`/api/v1/approvals/${approvalId}`);
    say('What the approval says:');
    show({
      id: approval.id,
      status: approval.status,
      decidedByType: approval.decidedByType,
      decisionReason: approval.decisionReason,
      decidedAt: approval.decidedAt,
      consumedAt: approval.consumedAt,
      inputHash: approval.inputHash,
    });
    if (ended.status === 'executed') await showReceipt(api, url, approvalId);
    if (partner.received.length > 0) say(`The partner received: ${partner.received.join(', ')}`);
    if (ended.status !== 'failed') return 0;
    if (!isOurs) say(`Perhaps ${scene.target} cannot be reached from here. ${OWN_RECEIVER}`);
    return 1;
  } finally {
    await partner.close();
  }
}

async function workflowPage(api: GatewayApi, approvalId: string, temporalUi: string, namespace: string): Promise<string> {
  const { approval } = await api.get(`/api/v1/approvals/${approvalId}`);
  return `${temporalUi}/namespaces/${namespace}/workflows/${encodeURIComponent(`code-run/${approval.inputPreview.codeRunId}`)}`;
}

/** Decides an approval, unless an earlier attempt of the same request has decided it. */
async function decide(api: GatewayApi, approvalId: string, decision: 'approve' | 'reject'): Promise<void> {
  const { status, body } = await api.try(`/api/v1/approvals/${approvalId}/${decision}`, { reason: 'decided by the demo' });
  if (status !== 200 && body.code !== 'APPROVAL_ALREADY_DECIDED') throw new Error(`deciding answered ${status}: ${JSON.stringify(body)}`);
}

async function showReceipt(api: GatewayApi, url: string, approvalId: string): Promise<void> {
  const { receipt } = await api.get(`/api/v1/approvals/${approvalId}/receipt`);
  say('The receipt: a signed statement of what was approved, by whom and until when. In short:');
  show(describeReceipt(receipt));
  say(`Anyone can verify the receipt without the service (docs/receipts.md):\n\n${howToVerify(receipt, url)}`);
}

function say(line: string): void {
  console.log(`\n${line}`);
}

function show(value: unknown): void {
  console.log(JSON.stringify(value, null, 2).replace(/^/gm, '    '));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
