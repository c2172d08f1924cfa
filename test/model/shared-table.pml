/*
 * The table of used signatures that the threads of a node share (packages/gate/src/replay/shared-table.ts,
 * shared-upkeep.ts, persistent-shared-guard.ts): one chain of nodes, threads that use the same signature at the same
 * time, the upkeep that forgets, and a restart, clean or not. Each WITHOUT rule below takes away one of the rules.
 */
#define THREADS 2
#define NODES 3

/* The signature that comes again, an older one of the same chain, and the second of `created` of each. */
#define X 1
#define Y 2
#define secondOf(sig) (sig == X -> 2 : 1)

byte head, next[NODES + 1], idOf[NODES + 1];
bool isFree[NODES + 1], isYoung[NODES + 1];
byte horizon;
bool isClosed;
/* Odd while a thread is inside an operation. */
byte word[THREADS];
/* The seconds that threads know to be reserved, those of the mark on disk, and those refused after a crash. */
bool isNoted[3], isMarked[3], isRefused[3];
/* The process that runs now. */
byte life;

/* What really happened. */
byte accepted[3];
bool isLongAgo[3];

inline wipe() {
  head = 0; horizon = 0; isClosed = false;
  for (i : 1 .. NODES) { next[i] = 0; idOf[i] = 0; isFree[i] = true; isYoung[i] = false }
  for (i : 0 .. THREADS - 1) { word[i] = 0 }
  for (i : 1 .. 2) { isNoted[i] = false }
  i = 0
}

/* Leaves `at` at the node with the signature, or at 0. */
inline look() {
  at = seen;
  do
  :: at != 0 && idOf[at] != sig -> at = next[at]
  :: else -> break
  od
}

inline reserve() {
  if
  :: isNoted[secondOf(sig)]
  :: !isNoted[secondOf(sig)] ->
#ifdef WITHOUT_MARK_BEFORE_NOTE
    isNoted[secondOf(sig)] = true;
    isMarked[secondOf(sig)] = true
#else
#ifndef WITHOUT_MARK
    isMarked[secondOf(sig)] = true;
#endif
    isNoted[secondOf(sig)] = true
#endif
  fi
}

proctype Thread(byte me) {
  byte sig, seen, at, node, mine;
  bool isDone;
restarted:
  mine = life;
  {
      sig = X;
#ifndef WITHOUT_REFUSED_SECONDS
      if
      :: isRefused[secondOf(sig)] -> goto unused
      :: else
      fi;
#endif
      reserve();
      word[me]++;
      if
      :: isClosed || secondOf(sig) <= horizon -> goto leave
      :: else
      fi;
      seen = head;
      look();
      if
      :: at != 0 -> goto found
      :: else
      fi;
      atomic {
        if
        :: isFree[1] -> node = 1
        :: !isFree[1] && isFree[2] -> node = 2
        :: !isFree[1] && !isFree[2] && isFree[3] -> node = 3
        :: else -> goto leave
        fi;
        isFree[node] = false
      }
#ifndef WITHOUT_FILLING_FIRST
      atomic { idOf[node] = sig; isYoung[node] = true }
#endif
publish:
      next[node] = seen;
#ifdef WITHOUT_COMPARE_AND_SET
      head = node;
#else
      atomic {
        if
        :: head == seen -> head = node; isDone = true
        :: else -> seen = head
        fi
      }
      if
      :: isDone
      :: else ->
#ifndef WITHOUT_LOOKING_AGAIN
        look();
        if
        :: at != 0 -> isFree[node] = true; goto found
        :: else
        fi;
#endif
        goto publish
      fi;
#endif
#ifdef WITHOUT_FILLING_FIRST
      atomic { idOf[node] = sig; isYoung[node] = true }
#endif
#ifndef WITHOUT_READING_AGAIN
      if
      :: secondOf(sig) <= horizon -> goto leave
      :: else
      fi;
#endif
#ifndef WITHOUT_CLOSED_AGAIN
      if
      :: isClosed -> goto leave
      :: else
      fi;
#endif
      atomic {
        accepted[sig]++;
        assert(accepted[sig] == 1);
        goto leave
      }
found:
      /* Reads may be repeated for two seconds. */
      if
#ifndef WITHOUT_UNKNOWN_AGE
      :: isClosed || secondOf(sig) <= horizon -> goto leave
#endif
      :: else ->
        atomic {
          if
          :: isYoung[at] -> assert(!isLongAgo[sig])
          :: else
          fi
        }
      fi;
leave:
      word[me]++;
unused:
      (life != mine)
  } unless { life != mine };
  seen = 0; at = 0; node = 0; isDone = false;
  goto restarted
}

/* The main thread: lets seconds expire, one after the other, and forgets them. */
proctype Upkeep() {
  byte until, node, before, i, mine;
  byte words[THREADS];
  bool isOut[NODES + 1], isQuiet, wasSeen[3];
restarted:
  mine = life;
  until = horizon;
  {
    do
    :: until < 2 && life == 0 ->
      until++;
      /* Expired: more than two seconds have passed since everything up to now. */
      d_step {
        for (i : 1 .. NODES) { isYoung[i] = false }
        for (i : 1 .. 2) { isLongAgo[i] = (accepted[i] > 0) }
        i = 0
      }
#ifndef WITHOUT_RAISING_FIRST
      horizon = until;
#endif
      do
      :: true ->
        /* The first node that is to go. */
        atomic {
          node = head;
          do
          :: node != 0 && secondOf(idOf[node]) > until -> node = next[node]
          :: else -> break
          od;
          skip
        }
        if
        :: node == 0 -> break
        :: else
        fi;
        if
        :: atomic { head == node -> head = next[node] }
        :: head != node ->
          atomic {
            before = head;
            do
            :: next[before] != node -> before = next[before]
            :: else -> break
            od;
            skip
          }
          next[before] = next[node]
        fi;
        isOut[node] = true
      od;
      skip;
#ifdef WITHOUT_RAISING_FIRST
      horizon = until;
#endif
#ifndef WITHOUT_WAITING
      d_step { for (i : 0 .. THREADS - 1) { words[i] = word[i] } i = 0 }
      do
      :: d_step {
          isQuiet = true;
          for (i : 0 .. THREADS - 1) {
            if
            :: words[i] % 2 == 1 && words[i] == word[i] -> isQuiet = false
            :: else
            fi
          }
          i = 0
        }
        if
        :: isQuiet -> break
        :: else -> (word[0] != words[0] || word[1] != words[1])
        fi
      od;
      skip;
#endif
      d_step {
        for (i : 1 .. NODES) { if :: isOut[i] -> isFree[i] = true; isOut[i] = false :: else fi }
        for (i : 0 .. THREADS - 1) { words[i] = 0 }
        i = 0; node = 0; before = 0
      }
    :: life == 0 ->
      /* A clean stop: nothing is accepted any more, then what is remembered is stored. */
      isClosed = true;
      node = head;
      do
      :: node != 0 -> wasSeen[idOf[node]] = true; node = next[node]
      :: else -> break
      od;
      skip;
      atomic {
        before = horizon;
        wipe();
        horizon = before;
        if
        :: wasSeen[X] -> head = 1; idOf[1] = X; isFree[1] = false
        :: else
        fi;
        if
        :: wasSeen[Y] -> next[2] = head; head = 2; idOf[2] = Y; isFree[2] = false
        :: else
        fi;
        life++
      }
    od
  } unless { life != mine };
  d_step {
    for (i : 1 .. NODES) { isOut[i] = false }
    for (i : 0 .. THREADS - 1) { words[i] = 0 }
    i = 0; node = 0; before = 0; wasSeen[X] = false; wasSeen[Y] = false
  }
  goto restarted
}

/* A crash at any moment: the memory is lost, the mark is not. */
proctype Crash() {
  byte i;
  atomic {
    life == 0 ->
    wipe();
    isRefused[1] = isMarked[1];
    isRefused[2] = isMarked[2];
    life++
  }
}

init {
  byte i;
  atomic {
    wipe();
    /* What was there before. */
    if
    :: true
    :: head = 1; idOf[1] = X; accepted[X] = 1
    :: head = 1; idOf[1] = Y; accepted[Y] = 1
    fi;
    if
    :: head == 0
    :: else -> isFree[1] = false; isNoted[secondOf(idOf[1])] = true; isMarked[secondOf(idOf[1])] = true
    fi;
    for (i : 0 .. THREADS - 1) { run Thread(i) }
    run Upkeep();
    run Crash()
  }
}
