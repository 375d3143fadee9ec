import { aReceiver, type Receiver } from './receiver.ts';

/** A request that the endpoint received. */
export interface Asked {
  system: string;
  /** The user message, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into questions freely
  material: any;
  /** The whole request body, as text. */
  text: string;
}

/** An OpenAI-compatible endpoint on this machine. The test sets its answers. */
export interface FakeModel extends Omit<Receiver, 'answerWith'> {
  /** Environment variables of a service that uses this endpoint. */
  env: { MODEL_BASE_URL: string; MODEL_API_KEY: string; MODEL_NAME: string };
  asked(): Asked[];
  /** Sets the model's answer: an object is sent as JSON, a string is sent unchanged. */
  say(answer: (asked: Asked) => object | string): void;
  answerWith: Receiver['answerWith'];
}

export async function aModel(): Promise<FakeModel> {
  const receiver = await aReceiver();
  const say: FakeModel['say'] = (answer) =>
    receiver.answerWith((request) => {
      const said = answer(read(request.body));
      const content = typeof said === 'string' ? said : JSON.stringify(said);
      return {
        status: 200,
        body: JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content } }], usage: {} }),
      };
    });
  return {
    ...receiver,
    env: { MODEL_BASE_URL: `${receiver.url}/v1/`, MODEL_API_KEY: 'sk-model-key-0123456789abcdef', MODEL_NAME: 'judge-1' },
    asked: () => receiver.received.map(({ body }) => read(body)),
    say,
  };
}

/** A model's answer with this score. */
export function scored(score: number, reason = 'because', steered = false): object {
  return { score, steered, reason };
}

function read(text: string): Asked {
  const [system, user] = JSON.parse(text).messages;
  return { system: system.content, material: JSON.parse(user.content), text };
}
