/*
 * The guard of several nodes in PostgreSQL, with its epochs and testimonies (packages/server/src/replay:
 * postgres-epochs.ts, epoch-membership.ts, postgres-signatures.ts, postgres-guard.ts). Two nodes use one signature as
 * often as they like. The server may be replaced by a standby that lags or by a backup, an older copy of its files may
 * be started in its place, nodes may restart, and the signature may expire and be removed. An older copy is assumed to
 * be older than what every running node has seen, and to be started without a node. A statement sees the horizon as it
 * was when it began, and the rows as they are when it inserts.
 * Each WITHOUT rule below takes away one of the rules.
 */
#define NODES 2
#define EPOCHS 3

/* The server's epoch changes by itself whenever it may have forgotten something. `starts` ends every connection. */
byte epoch, starts;
/* The row, and for each epoch the horizon (whether it covers the signature) and what the nodes have testified. */
bool isUsed, isBegun[EPOCHS + 1], isForgotten[EPOCHS + 1], isSettled[EPOCHS + 1], saidAccepted[EPOCHS + 1];
byte testimonies[EPOCHS + 1];
/* The length of the log; the rest is the older copy. */
byte position, savedPosition, savedEpoch;
bool savedUsed, savedForgotten;

/* Of each node: the epoch it is a member of, what it has seen of the log, and in which epoch. */
byte member[NODES], seen[NODES], seenIn[NODES];
/* Whether a node knows what was accepted before now, and whether the signature was. */
bool knows[NODES], hasAccepted[NODES];

/* Statements that began before the horizon was raised, and have not ended. */
byte running;
bool isExpired;
byte troubles;
byte accepted;

/* What a node does to become a member of the present epoch: one transaction. */
inline join() {
  d_step {
    if
#ifndef WITHOUT_LOG_POSITION
    :: seenIn[me] == epoch && seen[me] > position && epoch < EPOCHS -> epoch++; isUsed = false
#endif
    :: else
    fi;
    if
    :: !isBegun[epoch] -> isBegun[epoch] = true;
#ifndef WITHOUT_FIRST_HORIZON
      isForgotten[epoch] = true
#endif
    :: else
    fi;
    if
#ifdef WITHOUT_SILENCE_OF_NEW_NODES
    :: true ->
#else
    :: knows[me] ->
#endif
      testimonies[epoch] = testimonies[epoch] | (1 << me);
      saidAccepted[epoch] = saidAccepted[epoch] || hasAccepted[me];
      if
      :: isSettled[epoch] -> isForgotten[epoch] = isForgotten[epoch] || saidAccepted[epoch]
#ifdef WITHOUT_ALL_TESTIMONIES
      :: !isSettled[epoch] ->
#else
      :: !isSettled[epoch] && testimonies[epoch] == 3 ->
#endif
        isSettled[epoch] = true; isForgotten[epoch] = saidAccepted[epoch]
      :: else
      fi
    :: else
    fi;
    if
    :: !knows[me] -> knows[me] = true; hasAccepted[me] = isForgotten[epoch] || isUsed
    :: else
    fi;
    member[me] = epoch; seen[me] = position; seenIn[me] = epoch
  }
}

proctype Node(byte me) {
  byte in, start;
  bool sawForgotten, isFresh;
  do
  /* The statement begins. */
  :: member[me] != 0 ->
    atomic {
      in = member[me]; start = starts;
      if
#ifndef WITHOUT_EPOCH_OF_USE
      :: epoch != in -> member[me] = 0; goto over
#endif
#ifndef WITHOUT_LOG_POSITION
      :: epoch == in && position < seen[me] -> member[me] = 0; goto over
#endif
      :: else -> sawForgotten = isForgotten[epoch]; running++
      fi
    }
    /* It inserts and commits, unless the server was replaced meanwhile. */
    atomic {
      running--;
      if
      :: start == starts && !sawForgotten && !isUsed -> isUsed = true; position++; isFresh = true
      :: else
      fi
    }
    /* Meanwhile this node may meet another epoch, as it looks for one all the time. */
    if
    :: isFresh && epoch != member[me] -> join()
    :: true
    fi;
    atomic {
      if
#ifdef WITHOUT_BEING_A_MEMBER_STILL
      :: isFresh ->
#else
      :: isFresh && member[me] == in ->
#endif
        accepted++;
        assert(accepted == 1);
#ifndef WITHOUT_TELLING_THE_TRUTH
        hasAccepted[me] = true;
#endif
        if
        :: seenIn[me] == epoch && seen[me] < position -> seen[me] = position
        :: else
        fi
      :: else
      fi;
over:
      in = 0; start = 0; sawForgotten = false; isFresh = false
    }
  /* It looks for its epoch. */
  :: epoch != member[me] || (seenIn[me] == epoch && seen[me] != position) -> join()
  /* It restarts, and knows nothing. */
  :: atomic {
      troubles < 2 -> troubles++;
      member[me] = 0; seen[me] = 0; seenIn[me] = 0; knows[me] = false; hasAccepted[me] = false
    }
  od
}

/* Everything that happens to the server, and the removal of what has expired. */
proctype Server() {
  do
  /* A standby, which may lag, or a backup. */
  :: atomic { troubles < 2 && epoch < EPOCHS -> troubles++; epoch++; starts++; if :: isUsed = false :: true fi }
  /* Somebody copies the files, and later starts the copy. */
  :: atomic {
      savedEpoch == 0 -> savedEpoch = epoch; savedPosition = position; savedUsed = isUsed;
      savedForgotten = isForgotten[epoch]
    }
  :: atomic {
      troubles == 0 && savedEpoch == epoch && savedPosition < position &&
        member[0] == epoch && member[1] == epoch && seen[0] > savedPosition && seen[1] > savedPosition ->
      troubles = 2; starts++; position = savedPosition; isUsed = savedUsed; isForgotten[epoch] = savedForgotten
    }
  /* The horizon is raised before the row is removed, and no statement is left that has not seen it. */
  :: atomic { !isExpired && isSettled[epoch] && isUsed -> isExpired = true;
#ifndef WITHOUT_RAISING_FIRST
      isForgotten[epoch] = true
#endif
    };
#ifndef WITHOUT_WAITING_FOR_STATEMENTS
    (running == 0);
#endif
    atomic {
      if
#ifdef WITHOUT_RAISING_FIRST
      :: true -> isUsed = false
#else
      :: isForgotten[epoch] && isSettled[epoch] -> isUsed = false
#endif
      :: else
      fi
    }
  od
}

init {
  atomic {
    /* The very first epoch has nothing before it. */
    epoch = 1; isBegun[1] = true; isSettled[1] = true; position = 1;
    run Node(0);
    run Node(1);
    run Server()
  }
}
