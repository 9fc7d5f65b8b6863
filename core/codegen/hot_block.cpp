// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/hot_block.h"

#include <memory>
#include <vector>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace fettle::codegen {

namespace {

struct Line {
    uint64_t address = 0, branchTarget = 0;
    bool backward = false, call = false;
    std::string text;
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool isFma(std::string_view text) {
    return contains(text, "fmadd") || contains(text, "fnmadd") || contains(text, "fmsub") || contains(text, "vfmacc") ||
           contains(text, "fmla");
}

// A vector register stored to the stack, in the syntaxes of x86 (AT&T), AArch64 and RISC-V.
bool isVectorSpill(std::string_view text) {
    const auto comma = text.rfind(", ");
    const bool x86 = contains(text, "vmov") && comma != std::string_view::npos &&
                     contains(text.substr(comma), "(%rsp") && contains(text.substr(0, comma), "mm");
    const bool arm = (text.starts_with("str\tq") || text.starts_with("stp\tq")) && contains(text, "[sp");
    const bool riscv = text.starts_with("vs") && contains(text, "r.v") && contains(text, "sp)");
    return x86 || arm || riscv;
}

class Disassembler {
public:
    explicit Disassembler(const llvm::TargetMachine& machine) : machine_(machine), info_(machine.getTarget()) {
        const llvm::Triple& triple = machine.getTargetTriple();
        context_ = std::make_unique<llvm::MCContext>(triple, machine.getMCAsmInfo(), machine.getMCRegisterInfo(),
                                                     machine.getMCSubtargetInfo());
        decoder_.reset(info_.createMCDisassembler(*machine.getMCSubtargetInfo(), *context_));
        analysis_.reset(info_.createMCInstrAnalysis(machine.getMCInstrInfo()));
        printer_.reset(info_.createMCInstPrinter(triple, machine.getMCAsmInfo()->getAssemblerDialect(),
                                                 *machine.getMCAsmInfo(), *machine.getMCInstrInfo(),
                                                 *machine.getMCRegisterInfo()));
    }

    void section(llvm::StringRef bytes, std::vector<Line>& lines) {
        if (!decoder_ || !printer_) return;
        const llvm::ArrayRef<uint8_t> all(bytes.bytes_begin(), bytes.size());
        for (uint64_t at = 0; at < all.size();) {
            llvm::MCInst instruction;
            uint64_t size = 0;
            const auto status = decoder_->getInstruction(instruction, size, all.slice(at), at, llvm::nulls());
            size = std::max<uint64_t>(size, 1);
            if (status != llvm::MCDisassembler::Fail) lines.push_back(describe(instruction, at, size));
            at += size;
        }
    }

private:
    Line describe(const llvm::MCInst& instruction, uint64_t at, uint64_t size) {
        Line line;
        line.address = at;
        llvm::raw_string_ostream stream(line.text);
        printer_->printInst(&instruction, at, "", *machine_.getMCSubtargetInfo(), stream);
        while (!line.text.empty() && (line.text.front() == '\t' || line.text.front() == ' ')) line.text.erase(0, 1);
        const llvm::MCInstrDesc& desc = machine_.getMCInstrInfo()->get(instruction.getOpcode());
        line.call = desc.isCall();
        if (analysis_ && desc.isBranch() && analysis_->evaluateBranch(instruction, at, size, line.branchTarget))
            line.backward = line.branchTarget <= at;
        return line;
    }

    const llvm::TargetMachine& machine_;
    const llvm::Target& info_;
    std::unique_ptr<llvm::MCContext> context_;
    std::unique_ptr<llvm::MCDisassembler> decoder_;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
    std::unique_ptr<llvm::MCInstPrinter> printer_;
};

}  // namespace

HotBlock findHotBlock(std::string_view object, const llvm::TargetMachine& machine) {
    HotBlock best;
    auto file = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "task.o"));
    if (!file) {
        llvm::consumeError(file.takeError());
        return best;
    }
    std::vector<Line> lines;
    Disassembler disassembler(machine);
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
        if (!section.isText()) continue;
        if (auto contents = section.getContents())
            disassembler.section(*contents, lines);
        else
            llvm::consumeError(contents.takeError());
    }
    int bestScore = -1;
    for (size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].backward) continue;
        HotBlock block;
        bool innermost = true;
        size_t first = i;
        while (first > 0 && lines[first - 1].address >= lines[i].branchTarget &&
               lines[first - 1].address < lines[first].address) {
            --first;
            innermost &= !lines[first].backward;
        }
        if (!innermost) continue;
        int vector = 0;
        for (size_t k = first; k <= i; ++k) {
            block.text += lines[k].text + "\n";
            ++block.instructions;
            block.fmas += isFma(lines[k].text);
            block.vectorSpills += isVectorSpill(lines[k].text);
            vector += lines[k].text.starts_with("v") || lines[k].text.starts_with("f");
        }
        const int score = block.fmas * 1000 + vector;
        if (score > bestScore) bestScore = score, best = std::move(block);
    }
    return best;
}

}  // namespace fettle::codegen
