export interface SchedulerLimits {
  maxConcurrent: number;
  maxPerTenant: number;
  /**
   * Slots that only tenants without a running job can take, so that a few tenants cannot block the
   * others.
   */
  reserved: number;
}

export interface Job {
  tenantId: string;
  /** Epoch milliseconds. Jobs of one tenant start in this order. Default: now. */
  enqueuedAt?: number | undefined;
}

/** Thrown by `tryRun` when no slot is free for the tenant. */
export class NoSlotError extends Error {
  override name = 'NoSlotError';
}

interface QueuedJob {
  enqueuedAt: number;
  start(): void;
}

interface Tenant {
  running: number;
  /** Sorted by `enqueuedAt`. */
  queue: QueuedJob[];
}

/**
 * Shares a limited number of slots fairly among tenants. Tenants without a running job come first.
 */
export class FairScheduler {
  /** Tenants in the order in which they get slots. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #limits: SchedulerLimits;
  #free: number;

  constructor(limits: SchedulerLimits) {
    this.#limits = limits;
    this.#free = limits.maxConcurrent;
  }

  /**
   * Runs `work` when a slot is free. If `signal` is aborted first, rejects with its reason.
   */
  async run<Result>(
    { tenantId, enqueuedAt = Date.now(), signal }: Job & { signal?: AbortSignal },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const tenant = await this.#takeSlot(tenantId, enqueuedAt, signal);
    try {
      return await work();
    } finally {
      this.#free += 1;
      tenant.running -= 1;
      this.#moveBack(tenantId, tenant);
      this.#startJobs();
      this.#forgetIdle();
    }
  }

  /** Runs `work` if a slot is free now. Rejects with NoSlotError otherwise. */
  tryRun<Result>(job: Job, work: () => Promise<Result>): Promise<Result> {
    const giveUp = new AbortController();
    const result = this.run({ ...job, signal: giveUp.signal }, work);
    // A job that has a slot ignores the abort.
    giveUp.abort(new NoSlotError('no slot is free'));
    return result;
  }

  #takeSlot(tenantId: string, enqueuedAt: number, signal: AbortSignal | undefined): Promise<Tenant> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const tenant = this.#tenants.get(tenantId) ?? { running: 0, queue: [] };
      this.#tenants.set(tenantId, tenant);
      const job: QueuedJob = {
        enqueuedAt,
        start() {
          signal?.removeEventListener('abort', leave);
          resolve(tenant);
        },
      };
      const leave = () => {
        tenant.queue.splice(tenant.queue.indexOf(job), 1);
        this.#forgetIdle();
        reject(signal!.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      tenant.queue.splice(tenant.queue.findLastIndex((other) => other.enqueuedAt <= enqueuedAt) + 1, 0, job);
      this.#startJobs();
    });
  }

  #startJobs(): void {
    for (let next = this.#nextTenant(); next; next = this.#nextTenant()) {
      const [tenantId, tenant] = next;
      this.#moveBack(tenantId, tenant);
      this.#free -= 1;
      tenant.running += 1;
      tenant.queue.shift()!.start();
    }
  }

  #nextTenant(): [string, Tenant] | undefined {
    const { maxPerTenant, reserved } = this.#limits;
    if (this.#free === 0) return undefined;
    const waiting = [...this.#tenants].filter(([, { queue }]) => queue.length > 0);
    const idle = waiting.find(([, { running }]) => running === 0);
    return idle ?? (this.#free > reserved ? waiting.find(([, { running }]) => running < maxPerTenant) : undefined);
  }

  #moveBack(tenantId: string, tenant: Tenant): void {
    this.#tenants.delete(tenantId);
    if (tenant.running + tenant.queue.length > 0) this.#tenants.set(tenantId, tenant);
  }

  /**
   * Removes idle tenants when no job waits. Until then, a tenant that gave up waiting keeps its
   * position.
   */
  #forgetIdle(): void {
    const all = [...this.#tenants];
    if (all.some(([, { queue }]) => queue.length > 0)) return;
    for (const [tenantId, { running }] of all) if (running === 0) this.#tenants.delete(tenantId);
  }
}
