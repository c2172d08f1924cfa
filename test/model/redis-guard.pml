/*
 * The guard of several nodes in Redis, with its mark and its epochs in the database (packages/server/src/replay:
 * guard-epoch.ts, guard-mark.ts, mark-reservation.ts, guard-scripts.ts, redis-guard.ts). Two nodes use one signature
 * as often as they like. The server may be emptied, may restart without its last writes, and a replica that lags may
 * be promoted while a node still speaks to the primary of before. Each script runs as one step, as Redis runs it.
 * Each WITHOUT rule below takes away one of the rules.
 */
#define NODES 2
#define EPOCHS 3
/* 0 is no epoch. */
#define NONE 0

/* A server process: the primary, and the replica that is promoted. What a replica of it has, or its disk. */
typedef Server { byte epoch; bool isUsed; bool isForgotten; byte start; byte savedEpoch; bool savedUsed; bool savedForgotten }
Server server[2];
bool isPromoted;
byte losses;

/* The database: the epoch that may raise the mark, and whether the mark covers the signature's second. */
byte markedEpoch;
bool isReserved;
/* The server and its run that each epoch was begun on. */
byte ownerOf[EPOCHS + 1], startOf[EPOCHS + 1];
byte epochs;

byte accepted;

#ifdef WITHOUT_OWNER
#define isOwner(epoch, at) true
#else
#define isOwner(epoch, at) (epoch != NONE && ownerOf[epoch] == at && startOf[epoch] == server[at].start)
#endif

proctype Node() {
  byte at, start, epoch, stored, marked, begun;
  bool knowsReserved, wasReserved;
join:
  /* Connects to one of the servers. */
  atomic {
    epoch = NONE; stored = 0; marked = 0; begun = 0; wasReserved = false;
    if
    :: at = 0
    :: isPromoted -> at = 1
    fi;
    start = server[at].start
  }
  atomic { (server[at].start == start) -> stored = server[at].epoch }
  atomic { marked = markedEpoch; wasReserved = isReserved || knowsReserved }
  if
  :: stored == marked && isOwner(stored, at) -> epoch = stored; knowsReserved = wasReserved
  :: else ->
    /* Begins another epoch, in the database first. */
    atomic {
      if
      :: epochs < EPOCHS && markedEpoch == marked ->
        epochs++; begun = epochs; ownerOf[begun] = at; startOf[begun] = start;
        markedEpoch = begun; wasReserved = isReserved || knowsReserved
      :: else -> goto join
      fi
    }
    atomic {
      if
      :: server[at].start == start && server[at].epoch == stored ->
        server[at].epoch = begun;
#ifndef WITHOUT_HORIZON
        if
        :: wasReserved || server[at].isUsed -> server[at].isForgotten = true
        :: else
        fi;
#endif
        server[at].isUsed = false;
        epoch = begun; knowsReserved = wasReserved
      :: else -> goto join
      fi
    }
  fi;
  atomic { stored = 0; marked = 0; begun = 0; wasReserved = false }
  do
  :: true ->
    /* The mark is raised before the signature is used. */
#ifndef WITHOUT_MARK
    atomic {
      if
      :: knowsReserved
#ifdef WITHOUT_EPOCH_OF_MARK
      :: else -> isReserved = true; knowsReserved = true
#else
      :: !knowsReserved && markedEpoch == epoch -> isReserved = true; knowsReserved = true
      :: else -> goto join
#endif
      fi
    }
#endif
    atomic {
      if
#ifdef WITHOUT_EPOCH_OF_USE
      :: true ->
#else
      :: server[at].epoch == epoch && isOwner(epoch, at) ->
#endif
        if
        :: server[at].isUsed
        :: !server[at].isUsed && server[at].isForgotten
        :: else -> server[at].isUsed = true; accepted++; assert(accepted == 1)
        fi
      :: else -> goto join
      fi
    }
  :: goto join
  od
}

/* Everything that goes wrong. Twice, because one loss may hit the recovery from another. */
active proctype Trouble() {
end:
  do
  /* The replica, or the disk, gets the present state, now and then. */
  :: atomic {
      losses < 2 && (server[0].savedEpoch != server[0].epoch || server[0].savedUsed != server[0].isUsed ||
        server[0].savedForgotten != server[0].isForgotten) ->
      server[0].savedEpoch = server[0].epoch; server[0].savedUsed = server[0].isUsed;
      server[0].savedForgotten = server[0].isForgotten
    }
  /* FLUSHALL. */
  :: atomic { losses < 2 -> losses++; server[0].epoch = NONE; server[0].isUsed = false; server[0].isForgotten = false }
  /* A restart without the last writes. */
  :: atomic {
      losses < 2 -> losses++; server[0].start++;
      server[0].epoch = server[0].savedEpoch; server[0].isUsed = server[0].savedUsed;
      server[0].isForgotten = server[0].savedForgotten
    }
  /* A replica that lags is promoted; the primary may go on. */
  :: atomic {
      losses < 2 && !isPromoted -> losses++; isPromoted = true;
      server[1].epoch = server[0].savedEpoch; server[1].isUsed = server[0].savedUsed;
      server[1].isForgotten = server[0].savedForgotten
    }
  od
}

init {
  atomic {
    /* The first epoch has begun, as it does at the first start. */
    epochs = 1; markedEpoch = 1; server[0].epoch = 1; ownerOf[1] = 0;
    run Node(); run Node()
  }
}
