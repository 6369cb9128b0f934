// Compiled once per level, whose name is NEARCOPY_LANES. Nothing here may come from a template or
// an inline function that another file also compiles: the linker keeps a single copy, possibly
// that of a level this processor cannot run. Hence plain pointers and static functions only.
#include "lanes.hpp"

#include "lanes_bits.hpp"
#include "lanes_fold.hpp"
#include "lanes_minhash_simhash.hpp"

namespace nearcopy {

#define NEARCOPY_JOIN_(a, b) a##b
#define NEARCOPY_JOIN(a, b) NEARCOPY_JOIN_(a, b)
#define NEARCOPY_TEXT_(a) #a
#define NEARCOPY_TEXT(a) NEARCOPY_TEXT_(a)

extern const Lanes NEARCOPY_JOIN(lanes_, NEARCOPY_LANES);
const Lanes NEARCOPY_JOIN(lanes_, NEARCOPY_LANES) = {NEARCOPY_TEXT(NEARCOPY_LANES),
                                                     fold8,
                                                     fold16,
                                                     fold32,
                                                     bits8,
                                                     bits16,
                                                     bits32,
                                                     murmur_words,
                                                     shingle,
                                                     votes,
                                                     one_permutation,
                                                     classic};

}  // namespace nearcopy
