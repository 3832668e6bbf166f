import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, InspectionEvent, Observer } from "xstate";
import { callGuarded } from "../guard.js";
import { cutConfig } from "./cut-config.js";
import { cutEvent, cutSnapshot } from "./cut-values.js";
import { type Revealable, readReveal } from "./reveal.js";

export interface RedactedOptions {
  /** Fields of events and contexts that are passed on beside states, names, ids, counts and error codes; none. */
  reveal?: readonly Revealable[];
}

type Ref = InspectionEvent["actorRef"];

/**
 * Wraps an inspector so that it sees states, event names, ids, counts and error codes alone, whatever it looks at, and so that
 * nothing it throws comes back. What it is given is of one size, however much the actors keep.
 *
 * @example
 * createBatchRunner({ store, fetch, inspect: redacted(inspector.inspect) });
 */
export function redacted(
  observer: Observer<InspectionEvent> | ((event: InspectionEvent) => void),
  options: RedactedOptions = {},
): (event: InspectionEvent) => void {
  const revealed = readReveal(options.reveal);
  const standIns = new WeakMap<Ref, StandIn>();
  const standInOf = (ref: Ref): StandIn => {
    const known = standIns.get(ref);
    if (known !== undefined) return known;
    const made = new StandIn(ref as AnyActorRef, revealed, standInOf);
    standIns.set(ref, made);
    return made;
  };
  let [seen, cut]: AnyEventObject[] = [];
  /** The same for the same event: it is told of at several steps. */
  const cutOnce = (event: AnyEventObject): AnyEventObject => {
    if (seen !== event || cut === undefined) [seen, cut] = [event, cutEvent(event, revealed)];
    return cut;
  };
  return (event) =>
    callGuarded(() => {
      const told = cutInspectionEvent(event, cutOnce, standInOf);
      return typeof observer === "function" ? observer(told) : observer.next?.(told);
    });
}

function cutInspectionEvent(
  inspected: InspectionEvent,
  cutOnce: (event: AnyEventObject) => AnyEventObject,
  standInOf: (ref: Ref) => StandIn,
): InspectionEvent {
  const actorRef = standInOf(inspected.actorRef);
  const common = { rootId: inspected.rootId, actorRef };
  switch (inspected.type) {
    case "@xstate.actor":
      return { type: inspected.type, ...common };
    case "@xstate.event": {
      const sourceRef = inspected.sourceRef && standInOf(inspected.sourceRef);
      return { type: inspected.type, ...common, sourceRef, event: cutOnce(inspected.event) };
    }
    case "@xstate.action":
      return { type: inspected.type, ...common, action: { type: inspected.action.type, params: undefined } };
    default: {
      const event = cutOnce(inspected.event);
      const snapshot = actorRef.cut(inspected.snapshot as AnyMachineSnapshot);
      if (inspected.type !== "@xstate.microstep") return { type: inspected.type, ...common, event, snapshot };
      // Transitions lead to the machine, and it to all there is.
      return { type: inspected.type, ...common, event, snapshot, _transitions: [] };
    }
  }
}

/** What an observer gets in an actor's place: nothing of the actor can be reached through it. */
class StandIn {
  readonly id: string;
  readonly sessionId: string;
  readonly _parent: StandIn | undefined;
  readonly logic: { id: unknown; config: unknown };
  readonly #ref: AnyActorRef;
  readonly #revealed: ReadonlySet<Revealable>;
  #cutOf: unknown;
  #cut: AnyMachineSnapshot | undefined;

  constructor(ref: AnyActorRef, revealed: ReadonlySet<Revealable>, standInOf: (ref: AnyActorRef) => StandIn) {
    const { id, config } = (ref as { logic?: { id?: unknown; config?: object } }).logic ?? {};
    this.id = ref.id;
    this.sessionId = ref.sessionId;
    this._parent = ref._parent && standInOf(ref._parent);
    this.logic = { id, config: config && cutConfig(config) };
    this.#ref = ref;
    this.#revealed = revealed;
  }

  send(): void {}

  getSnapshot(): AnyMachineSnapshot {
    return this.cut(this.#ref.getSnapshot());
  }

  /** The same for the same snapshot: it is told of at several steps. */
  cut(snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    if (this.#cut === undefined || this.#cutOf !== snapshot) {
      this.#cutOf = snapshot;
      this.#cut = cutSnapshot(snapshot, this.#revealed);
    }
    return this.#cut;
  }

  toJSON() {
    return { xstate$$type: 1, id: this.id, sessionId: this.sessionId };
  }
}
