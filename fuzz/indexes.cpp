// libFuzzer target: the indexes in memory, driven by a stream of operations and held against lists
// that are searched from end to end.
//
// The first byte chooses the index, the next its settings; then each operation is a byte and its
// operands. Many values are made from few bytes (`Numbers`), so that short inputs fill indexes.
#include "hamming_trial.hpp"
#include "harness.hpp"
#include "key_trial.hpp"
#include "scan_trial.hpp"
#include "signature_trial.hpp"

namespace fuzz {

template <class Trial>
void run(Input& input) {
    Trial trial(input);
    for (unsigned steps = 0; input.left() > 0 && steps < 32; ++steps) trial.step();
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz::Input input(data, size);
    switch (input.byte() % 4) {
        case 0:
            fuzz::run<fuzz::HammingTrial>(input);
            break;
        case 1:
            fuzz::run<fuzz::KeyTrial>(input);
            break;
        case 2:
            fuzz::run<fuzz::SignatureTrial>(input);
            break;
        default:
            fuzz::run<fuzz::ScanTrial>(input);
            break;
    }
    return 0;
}
